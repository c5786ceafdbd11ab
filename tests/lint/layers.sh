#!/bin/bash
# The layer rule, over the #include lines: lang/base <- lang <- eval <- frontends.  A file includes only from its own
# layer and those below, within eval in the order of its parts; a reader of one format (frontends/hlo) includes
# nothing of another but JSON and what they share (frontends/base), only plans become programs of frontends/torch, whose table
# takes in their operators; certify/ includes nothing of eval but the graphs, and only eval/witness/ and
# the command line include it.  Standard and library
# headers are free, except that z3.h has one includer.
cd "$(dirname "$0")/../.." || exit 3
find lang certify eval frontends -name '*.[chyl]' -o -name '*.def' | sort | xargs awk '
  function layer(path) {
    return path ~ /^lang\/base\// ? 1 : path ~ /^lang\// ? 2 : path ~ /^(eval|certify)\// ? 3 : path ~ /^frontends\/cli\// ? 5 : path ~ /^frontends\// ? 4 : 0
  }
  # within eval: graph <- meaning <- digits, exact <- quotient <- calculus <- terms <- prove <- blame <- verdict <- witness <- reduce <- lemma <- family; datalog stands by itself
  BEGIN { split("graph meaning digits exact quotient calculus terms prove blame verdict witness reduce lemma family", order, " "); for (i in order) rank[order[i]] = i + 0 }
  function part_of(path) { return split(path, part, "/") > 2 && part[1] == "eval" ? part[2] : "" }
  function above(path, by) { return part_of(path) in rank && part_of(by) in rank && rank[part_of(path)] > rank[part_of(by)] }
  function format(path) { return split(path, part, "/") > 2 ? part[2] : "" }
  function foreign(path, by) { return layer(path) == 4 && layer(by) == 4 && format(path) !~ /^(base|json)?$/ && format(path) != format(by) && !plans(path, by) }
  function plans(path, by) { return format(by) == "plan" && format(path) == "torch" || path ~ /^frontends\/plan\/(plan|moves).def$/ }
  # certify: the checker of certificates sees the readers and nothing else of the engine
  function apart(path, by) { return by ~ /^certify\// && path !~ /^(certify|lang|eval\/graph)\// }
  function reaches(path, by) {
    return path ~ /^certify\// && by !~ /^(certify\/|frontends\/cli\/|eval\/witness\/|eval\/family\/numbers)/
  }
  match($0, /^ *# *include *"[^"]*"/) {
    path = $0; sub(/^[^"]*"/, "", path); sub(/".*/, "", path)
    if (path !~ /\//) { printf "%s:%d: \"%s\" names no folder\n", FILENAME, FNR, path; bad = 1; next }
    if (apart(path, FILENAME)) { printf "%s:%d: the checker must not see %s\n", FILENAME, FNR, path; bad = 1 }
    if (reaches(path, FILENAME)) { printf "%s:%d: only who writes or reads certificates sees %s\n", FILENAME, FNR, path; bad = 1 }
    if (above(path, FILENAME)) { printf "%s:%d: %s is above\n", FILENAME, FNR, path; bad = 1 }
    if (layer(path) > layer(FILENAME)) { printf "%s:%d: %s is above\n", FILENAME, FNR, path; bad = 1 }
    if (foreign(path, FILENAME)) { printf "%s:%d: %s reads another format\n", FILENAME, FNR, path; bad = 1 }
  }
  /# *include *<z3/ { if (z3 && z3 != FILENAME) { printf "%s:%d: z3.h is included by %s already\n", FILENAME, FNR, z3; bad = 1 } z3 = FILENAME }
  END { exit bad }'
