#!/bin/bash
# Checks every graph pair with a known answer: tests/cases.sh [CONFIG] [FOLDER...]
#
# A case is a folder with dist.hlo (or .mlir, .json) and expect.json, and with seq.hlo and relation.json, in it or two
# levels above (the right program next to its broken twins; plans have no relation.json); or with after.onnx, and
# before.onnx likewise.  expect.json: {"verdict": "verified" | "refuted", "wrong": [names of outputs], "where": "models/tp.py:12", "function": [10, 14]}.  The verdict must be that one, the outputs not
# verified exactly the wrong ones, and a refutation must blame an operator of the function that has the mistake (its
# lines are given), or one that is called from there.
#
# tests/open lists what tvr does not do yet, `FOLDER proof` or `FOLDER blame`, one a line: there the answer may be
# unproved, or name another place; never the opposite.  What is listed and works is a failure too.
set -u
cd "$(dirname "$0")/.." || exit 3
config=${1:-release}
shift
export TVR=${TVR:-$PWD/build/tvr} config
"$TVR" check --help >/dev/null 2>&1 || exit 0

fail() { printf 'FAIL %s %s: %s\n' "$config" "$folder" "$1"; }
open() { grep -qxF "$folder $1" tests/open; }

# Whether a place within the function of the mistake is among those blamed.
blamed='$expect[0] as $e | ($e.where | split(":")[0]) as $file
  | [.blame[] | .at, (.frames // [])[] | strings | split(":") | select(.[0] == $file) | .[1] | tonumber
     | select(. >= $e.function[0] and . <= $e.function[1])] != []'

# judge GOOD WHAT MESSAGE: a failure unless it is good, or open; also if it is both.
judge() {
  if [ "$1" = 1 ] && open "$2"; then fail "works now: remove '$folder $2' from tests/open"
  elif [ "$1" = 0 ] && ! open "$2"; then fail "$3"
  else return 0; fi
  return 1
}

one() {
  local folder=$1 from=$1 ext report code said want where named=0 good=0
  for ext in hlo mlir json; do [ -f "$folder/dist.$ext" ] && break; done
  [ -f "$from/seq.$ext" ] || from=$folder/../..
  local pair=("$from/seq.$ext" "$folder/dist.$ext")
  [ -f "$from/relation.json" ] && pair+=(--relation "$from/relation.json") # plans need none
  if [ -f "$folder/after.onnx" ]; then
    [ -f "$folder/before.onnx" ] && from=$folder
    pair=("$from/before.onnx" "$folder/after.onnx")
  fi
  [ "$config" = release ] || pair+=(--seconds=60) # the build that checks memory is several times slower
  report=$(timeout 300 "$TVR" check "${pair[@]}" --json 2>&1)
  code=$?
  want=$(jq -r '"\(.verdict) \(.wrong | sort)"' "$folder/expect.json")
  said=$(jq -r '"\(.verdict) \([.outputs[] | select(.verdict != "verified") | .name] | sort)"' <<< "$report" 2>/dev/null)
  [ $code -le 2 ] && [ -n "$said" ] || { fail "exit $code: $(head -c 300 <<< "$report")"; return; }
  [ "$said" = "$want" ] && good=1
  case "$want $said" in
    verified*refuted*|refuted*verified*) fail "expected ${want%% *}, said ${said%% *}"; return ;;
  esac
  judge $good proof "expected $want, said $said" || return
  where=$(jq -r '.where // ""' "$folder/expect.json")
  [ -z "$where" ] || jq -e --slurpfile expect "$folder/expect.json" "$blamed" <<< "$report" >/dev/null && named=1
  judge $named blame "the report does not blame $where" || return
  echo "ok $config $folder"
}
export -f one judge open fail
export blamed
[ $# -gt 0 ] || set -- examples tests/graphs
find "$@" -name expect.json | sort | xargs -r -n 1 dirname | xargs -r -P "${JOBS:-$(nproc)}" -I{} bash -c "one {}"
