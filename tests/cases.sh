#!/bin/bash
# Checks every graph pair with a known answer: tests/cases.sh [CONFIG] [FOLDER...]
#
# A case is a folder with dist.hlo and expect.json, and with seq.hlo and relation.json, in it or two levels above (the
# right program next to its broken twins).  expect.json: {"verdict": "verified" | "refuted", "wrong": [names of outputs],
# "where": "models/tp.py:12"}.  The verdict must be that one, the outputs not verified exactly the wrong ones, and the
# report must name the place, or a line of that file at most 3 away: an operator that is missing has no line of its own.
set -u
cd "$(dirname "$0")/.." || exit 3
config=${1:-release}
shift
TVR=${TVR:-$PWD/build/tvr}
"$TVR" check --help >/dev/null 2>&1 || exit 0

# near WHERE: whether the report on standard input names the place.
near() {
  jq -e --arg where "$1" '($where | split(":")) as $w
    | [.blame[] | .at, .line, .frames[], (.operands // [] | .[].at), (.users // [] | .[].at)] | map(split(":"))
    | any(.[0] == $w[0] and ((.[1] | tonumber) - ($w[1] | tonumber) | fabs) <= 3)' >/dev/null
}

one() {
  local folder=$2 from=$2 report code said want where
  [ -f "$from/seq.hlo" ] || from=$folder/../..
  report=$(timeout 120 "$TVR" check "$from/seq.hlo" "$folder/dist.hlo" --relation "$from/relation.json" --json 2>&1)
  code=$?
  said=$(jq -r '"\(.verdict) \([.outputs[] | select(.verdict != "verified") | .name] | sort)"' <<< "$report" 2>/dev/null)
  want=$(jq -r '"\(.verdict) \(.wrong | sort)"' "$folder/expect.json")
  where=$(jq -r '.where // ""' "$folder/expect.json")
  if [ "$said" != "$want" ]; then
    printf 'FAIL %s %s\n  expected %s\n  said     %s (exit %d)\n' "$1" "$folder" "$want" "${said:-$(head -c 300 <<< "$report")}" "$code"
  elif [ -n "$where" ] && ! near "$where" <<< "$report"; then
    printf 'FAIL %s %s\n  the report does not name %s\n' "$1" "$folder" "$where"
  else
    echo "ok $1 $folder"
  fi
}
export -f one near
export TVR
[ $# -gt 0 ] || set -- examples tests/graphs
find "$@" -name expect.json | sort | xargs -r -n 1 dirname |
  xargs -r -P "${JOBS:-$(nproc)}" -I{} bash -c "one $config {}"
