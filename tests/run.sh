#!/bin/bash
# Runs every test and ends with the line `N passed, N failed`.
#
#   tests/run.sh [--bless] [PATTERN]
#
# golden   tests/golden/**/NAME.cmd: one line of arguments for tvr, run inside its folder; NAME.out: what it prints
#          (standard output and error) and `exit N`.  --bless rewrites the .out files instead.
# operators  tests/operators: what operators mean, evaluated against what PyTorch, JAX and onnxruntime have computed
# unit     the programs of tests/unit
# spec     every ```tvr block of SPEC.md parses; every ```tvr run block runs, and its checks hold
# cases    tests/cases.sh: graph pairs of examples/ and tests/graphs, with known answers
# mutate   a sample of the mutation campaign
# certificates  tests/certify.sh: those of examples/ hold
# python   tests/python, if $PYTHON (python3) has torch and pytest
# lint     tests/lint
# Golden, unit and cases run twice: with the release build, and with the one that checks memory and undefined behaviour.
# CONFIGS=release leaves the second out; RELEASE_ONLY are golden tests of minutes there, of code that others run as well.
# PATTERN keeps the tests whose name contains it.  JOBS of them run at a time, those that take longest first.
set -u
cd "$(dirname "$0")/.." || exit 3
root=$PWD
build=${BUILD:-build}
bless=0
[ "${1:-}" = --bless ] && bless=1 && shift
pattern=${1:-}
jobs=${JOBS:-$(nproc)}
mkdir -p "$build"
results=$(mktemp "$build/results.XXXXXX")
trap 'rm -f "$results"' EXIT
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1

# failed NAME OUTPUT
failed() { printf 'FAIL %s\n%s\n' "$1" "$(sed 's/^/  /' <<< "$2")"; }

# golden CONFIG FILE.cmd: one golden test; prints `ok NAME` or `FAIL NAME` and the difference.
golden() {
  local name=${2%.cmd} out
  out=$(cd "$(dirname "$2")" && eval "timeout 240 $TVR $(cat "$root/$2")" 2>&1 </dev/null; echo "exit $?")
  if [ "$bless" = 1 ]; then
    [ -f "$name.out" ] && [ "$out" = "$(cat "$name.out")" ] || { printf '%s\n' "$out" > "$name.out"; echo "blessed $name"; }
  elif [ "$out" = "$(cat "$name.out" 2>/dev/null)" ]; then
    echo "ok $1 $name"
  else
    failed "$1 $name" "$(diff -u "$name.out" - <<< "$out" | sed 1,2d | head -40)"
  fi
}

# operators CONFIG FILE.values.json: the operators of one graph; names the cases whose values are others.
operators() {
  local graph=${2%.values.json} out
  out=$(timeout 240 "$TVR" eval "$graph" --inputs="$graph.inputs.json" --json --elements=100000 2>&1 </dev/null |
    jq -rn --slurpfile wanted "$2" '
      def flat: if type == "array" then .[] | flat else . end;
      def differ(x; y): (x == null) != (y == null) or (x != null and ((x | tonumber) - y | fabs) > 1e-5 * (1 + (y | fabs)));
      [input.values[] | [.data | flat]] as $found | $wanted[0] | if length != ($found | length) then "other results" else . end
      | to_entries[] | $found[.key] as $f | .value.data as $w
      | select(($f | length) != ($w | length) or any(range($w | length); differ($f[.]; $w[.]))) | .value.case' 2>&1)
  if [ "$out" = "" ]; then echo "ok $1 $graph"; else failed "$1 $graph" "$out"; fi
}

# program CONFIG FILE: one test program.
program() {
  local out
  if out=$(timeout 300 "$2" 2>&1); then echo "ok $1 ${2##*/}"; else failed "$1 $2" "$(tail -30 <<< "$out")"; fi
}

# check NAME COMMAND...: anything else that succeeds or fails.
check() {
  local name=$1 out
  shift
  if out=$("$@" 2>&1); then echo "ok $name"; else failed "$name" "$(tail -40 <<< "$out")"; fi
}

# Prints `check` commands, quoted, one a line.
quoted() { printf "'%s' " check "$@"; echo; }

spec() {
  [ -f SPEC.md ] || return 0
  rm -rf "$build/spec" && mkdir -p "$build/spec"
  awk -v dir="$build/spec" '/^```tvr/ { f = dir "/" ($2 == "" ? "fmt" : $2) "-line" NR ".tvr"; next } /^```/ { f = "" }
    f { print > f }' SPEC.md
  for f in "$build"/spec/fmt-*.tvr; do [ -f "$f" ] && quoted "SPEC.md ${f##*/}" "$TVR" fmt "$f"; done
  for f in "$build"/spec/run-*.tvr; do [ -f "$f" ] && quoted "SPEC.md ${f##*/}" "$TVR" run "$f"; done
}

# What needs the release build alone.
once() {
  local cases
  cases="$(find examples tests/graphs -mindepth 2 -maxdepth 2 -name seq.hlo -printf '%h\n' | sort) $(ls -d examples/onnx/*/)"
  [ -x "$build/tests/mutate/mutate" ] && quoted mutate "$build/tests/mutate/mutate" --sample=6 $cases
  quoted certificates tests/certify.sh
  if "${PYTHON:-python3}" -c 'import torch, pytest' 2>/dev/null; then
    quoted tests/python "${PYTHON:-python3}" -m pytest -q -p no:cacheprovider tests/python
  else
    echo "tests/python is left out: ${PYTHON:-python3} has no torch and pytest" >&2
  fi
  quoted "stdlib is formatted" "$TVR" fmt --check stdlib/*.tvr
  spec
}

# Where a configuration is built.
folder_of() { [ "$1" = release ] && echo "$build" || echo "$build/$1"; }

# Every test but the cases, as a command of this shell, one a line.
tests() {
  local config
  export TVR=$root/$build/tvr
  if [ "$bless" = 0 ]; then
    for config in ${CONFIGS:-release asan}; do
      find "$(folder_of "$config")/tests/unit" -type f -executable 2>/dev/null | grep "$pattern" | sort | sed "s|^|program $config |"
    done
    [ -z "$pattern" ] && once
    for lint in tests/lint/*.sh; do case $lint in *"$pattern"*) quoted "$lint" "$lint" ;; esac; done
  fi
  for config in ${CONFIGS:-release asan}; do
    [ "$bless" = 1 ] && [ "$config" != release ] && continue
    [ "$bless" = 1 ] || find tests/operators -name '*.values.json' | grep "$pattern" | sort | sed "s|^|operators $config |"
    find tests/golden -name '*.cmd' | grep "$pattern" | sort -r | sed "s|^|golden $config |" |
      { [ "$config" = release ] && cat || grep -vxE "golden $config ($RELEASE_ONLY)"; }
  done
}

# The build that a test of this configuration runs.
with() {
  local config=$2
  [ "$1" = check ] && config=release
  TVR=$root/$(folder_of "$config")/tvr
  [ ! -x "$TVR" ] || "$@"
}
RELEASE_ONLY='tests/golden/prove/library.cmd'
export -f failed golden operators program check with folder_of
export root bless build TVR

{
  tests | xargs -r -d '\n' -P "$jobs" -I{} bash -c "with {}"
  for config in ${CONFIGS:-release asan}; do
    tvr=$root/$(folder_of "$config")/tvr
    [ "$bless" = 1 ] || [ -n "$pattern" ] || [ ! -x "$tvr" ] || TVR=$tvr tests/cases.sh "$config"
  done
} | tee "$results" | grep -v '^ok '
passed=$(grep -c '^ok ' "$results")
failed=$(grep -c '^FAIL ' "$results")
[ "$bless" = 1 ] && exit 0
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
