#!/bin/bash
# Breaks every law of laws.txt in turn and checks that a test of the calculus notices; ends with the numbers.
#
#   tests/laws/run.sh [PATTERN [SECONDS]]       laws whose line contains PATTERN; SECONDS per test (8)
#
# A test that fails as it is would notice any law: each is run unbroken first.
set -u
cd "$(dirname "$0")/../.." || exit 3
build=${BUILD:-build} pattern=${1:-} seconds=${2:-8}
libs='-lxxhash -ljansson -lflint-arb -lflint -lmpfr -lgmp -lm -lpthread'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
total=0 missed=0 sound=
# runs PROGRAM: 0 if it notices nothing; out of time is no notice, the machine may be busy
runs() {
  timeout $((seconds * 30)) "$1" "$seconds" 1 quick > "$work/out" 2>&1
  case $? in 0|124) ;; *) return 1 ;; esac
}
# is_sound TEST: it passes unbroken
is_sound() {
  case " $sound " in *" $1 "*) return 0 ;; esac
  if ! gcc -o "$work/test" "$build/obj/tests/unit/$1.o" "$build/libtvr.a" $libs || ! runs "$work/test"; then
    tail -5 "$work/out"
    echo "$1 fails with no law broken: build it (make units) and mend it first"
    exit 3
  fi
  sound="$sound $1"
}
while IFS= read -r law; do
  file=${law%%: *} change=${law#*: } tests='test_laws test_calculus test_build_diff test_campaign'
  case $file in certify/file.c) tests=test_certify ;; certify/*) tests='test_arith test_certify' ;; *) file=eval/calculus/$file ;; esac
  source=$(<"$file")
  total=$((total + 1)) found=1
  while [ -n "$change" ]; do # one replacement after the other
    one=${change%% ;; *}
    [ "$one" = "$change" ] && change= || change=${change#* ;; }
    old=${one%% => *} new=${one#* => }
    old=${old//\\n/$'\n'} new=${new//\\n/$'\n'}
    [ "${source#*"$old"}" = "$source" ] && found=
    source=${source/"$old"/"$new"}
  done
  if [ -z "$found" ]; then
    echo "NOT FOUND $law"
    missed=$((missed + 1))
    continue
  fi
  printf '%s\n' "$source" > "$work/broken.c"
  noticed=
  if gcc -std=gnu11 -O1 -w -I. -I"$build/gen" -c -o "$work/broken.o" "$work/broken.c"; then
    for test in $tests; do
      is_sound "$test"
      gcc -o "$work/test" "$build/obj/tests/unit/$test.o" "$work/broken.o" "$build/libtvr.a" $libs || break
      runs "$work/test" 2> /dev/null || { noticed=$test; break; }
    done
  fi
  if [ -n "$noticed" ]; then echo "ok $noticed: $law"; else echo "MISSED $law"; missed=$((missed + 1)); fi
done < <(grep -v '^#' tests/laws/laws.txt | grep -F -- "$pattern")
echo "$total laws, $missed missed"
[ "$missed" = 0 ]
