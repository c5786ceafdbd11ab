#!/bin/bash
# Every law has a statement, and every statement is of a law: what `tvr certify` applies names its statements
# (certify/law.def), each file of eval/calculus with a law that tests/laws breaks has a section of stdlib/normal.tvr.
# The text of every law that is to be broken is in its file.
cd "$(dirname "$0")/../.." || exit 3
awk '
  function fault(text) { printf "%s\n", text; bad = 1 }
  FILENAME ~ /normal.tvr$/ && /^\/\/ [a-z_]+\.c[,:]/ {
    section = $0; sub(/:.*/, "", section); n = split(section, files, /[ ,\/]+/)
    for (i = 1; i <= n; i++) if (files[i] != "") here[files[i]] = FNR
    section = FNR; says_none[section] = /no equation/; next
  }
  FILENAME ~ /normal.tvr$/ && /^\/\/ beyond certificates$/ { mark = 1; next }
  FILENAME ~ /normal.tvr$/ && /^lemma law_/ {
    name = $2; sub(/^law_/, "", name); sub(/[(:].*/, "", name); stated[name] = 1; filled[section] = 1
    if (mark) beyond[name] = 1
  }
  FILENAME ~ /axioms.tvr$/ && /^lemma / { name = $2; sub(/[(:].*/, "", name); axiom[name] = 1 }
  { mark = 0 }
  FILENAME ~ /law.def$/ && (/^LAW\(/ || open != "") {
    open = open $0
    if (open !~ /"\)/ && open !~ /[^,]\)$/) next
    $0 = open; open = ""; if (!/, ""\)/) gsub(/" *"/, "")
    law = $0; sub(/^LAW\(/, "", law); sub(/,.*/, "", law)
    if (!match($0, /"[a-z0-9_ ]*"/)) { fault("certify/law.def: " law " names no statement"); next }
    words = substr($0, RSTART + 1, RLENGTH - 2); n = split(words, w, " ")
    if (!n && law != "lemma") fault("certify/law.def: " law " names no statement")
    for (i = 1; i <= n; i++) {
      used[w[i]] = 1
      if (!(w[i] in stated) && !(w[i] in axiom)) fault("certify/law.def: " law " names law_" w[i] ", which stdlib/normal.tvr does not state")
    }
  }
  FILENAME ~ /laws.txt$/ && /^[a-z_]+\.c: / { file = $1; sub(/:/, "", file); broken[file] = 1 }
  END {
    for (s in stated) {
      if (!(s in used) && !(s in beyond))
        fault("stdlib/normal.tvr: law_" s " is of no law of certify/law.def, and not marked as beyond certificates")
      if (s in used && s in beyond) fault("stdlib/normal.tvr: law_" s " is marked, and a law of certify/law.def names it")
    }
    for (f in broken)
      if (!(f in here)) fault("eval/calculus/" f " has laws (tests/laws/laws.txt), stdlib/normal.tvr has no section for it")
      else if (!(here[f] in filled) && !says_none[here[f]]) fault("stdlib/normal.tvr: no statement for eval/calculus/" f)
    for (f in here) if (!(f in broken)) fault("stdlib/normal.tvr: a section for " f ", of which tests/laws breaks no law")
    exit bad
  }' stdlib/normal.tvr stdlib/axioms.tvr certify/law.def tests/laws/laws.txt
stated=$?
awk '
  function text_of(file,   line, text) { while ((getline line < file) > 0) text = text line "\n"; close(file); return text }
  /^#/ || !NF { next }
  {
    at = index($0, ": "); file = substr($0, 1, at - 1); n = split(substr($0, at + 2), change, / ;; /)
    if (file !~ /\//) file = "eval/calculus/" file
    if (!(file in text)) text[file] = text_of(file)
    whole = text[file]
    for (i = 1; i <= n; i++) { # each is of what the ones before it left
      to = index(change[i], " => "); old = substr(change[i], 1, to - 1); new = substr(change[i], to + 4)
      gsub(/\\n/, "\n", old); gsub(/\\n/, "\n", new); here = index(whole, old)
      if (!to || !here) { printf "tests/laws/laws.txt:%d: not in %s: %s\n", FNR, file, change[i]; bad = 1 }
      whole = substr(whole, 1, here - 1) new substr(whole, here + length(old))
    }
  }
  END { exit bad }' tests/laws/laws.txt && exit "$stated"
exit 1
