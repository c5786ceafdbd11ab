#!/bin/bash
# Style that can be counted: file and function sizes, line lengths, forbidden calls, words that mark unfinished work,
# a comment at the head of each file.
cd "$(dirname "$0")/../.." || exit 3
find lang certify eval frontends tests -name '*.[chyl]' -o -name '*.def' | sort | xargs awk '
  function fault(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; bad = 1 }
  FNR == 1 {
    if (FILENAME !~ /^tests/ && $0 !~ /^(\/\*|\/\/|%|#include "[a-z].*\.h")/) fault("no comment at the head, nor a header with one")
    start = 0; lines = 0
  }
  FNR == 701 && FILENAME !~ /^tests/ { fault("more than 700 lines") }
  length($0) > 125 { fault("longer than 125 columns") }
  /\t/ && FILENAME !~ /\.[yl]$/ { fault("a tab") }
  /[ \t]$/ { fault("blanks at the end") }
  /(^|[^a-zA-Z0-9_])(strcpy|strcat|sprintf|vsprintf|gets|strtok|alloca|system|popen|atoi)\(/ { fault("forbidden call") }
  /TODO|FIXME|XXX|not yet implemented|HACK/ { fault("unfinished") }
  /^[a-zA-Z].*\) *\{$/ && FILENAME ~ /\.c$/ { start = FNR }
  /^\}/ { if (start && FNR - start > 100) { fault("a function of " FNR - start " lines") } start = 0 }
  END { exit bad }'
