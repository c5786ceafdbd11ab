#!/bin/bash
# Breaks every law of laws.txt in turn and checks that a test of the calculus notices; ends with the numbers.
#
#   tests/laws/run.sh [PATTERN [SECONDS]]       laws whose line contains PATTERN; SECONDS per test (8)
set -u
cd "$(dirname "$0")/../.." || exit 3
build=${BUILD:-build} pattern=${1:-} seconds=${2:-8}
libs='-lxxhash -ljansson -lflint-arb -lflint -lmpfr -lgmp -lm -lpthread'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
total=0 missed=0
while IFS= read -r law; do
  file=${law%%: *} change=${law#*: } tests='test_laws test_calculus test_build_diff test_campaign'
  case $file in certify/*) tests=test_arith ;; *) file=eval/calculus/$file ;; esac
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
      gcc -o "$work/test" "$build/obj/tests/unit/$test.o" "$work/broken.o" "$build/libtvr.a" $libs || break
      timeout $((seconds * 10)) "$work/test" "$seconds" 1 quick > "$work/out" 2>&1
      case $? in 0|124) ;; *) noticed=$test; break ;; esac # out of time is no notice: the machine may be busy
    done
  fi
  if [ -n "$noticed" ]; then echo "ok $noticed: $law"; else echo "MISSED $law"; missed=$((missed + 1)); fi
done < <(grep -v '^#' tests/laws/laws.txt | grep -F -- "$pattern")
echo "$total laws, $missed missed"
[ "$missed" = 0 ]
