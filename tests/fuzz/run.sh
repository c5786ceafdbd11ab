#!/bin/bash
# Fuzzes each program as libFuzzer's options say: tests/fuzz/run.sh "-max_total_time=60" PROGRAM...
# Starts from the kept corpus tests/fuzz/corpus/NAME (for fuzz_NAME); what it finds goes to build/fuzz/found/NAME.
# JOBS of them run at a time.
cd "$(dirname "$0")/../.." || exit 3
export limits=$1
shift

one() {
  local name=${1##*/fuzz_} found
  found=build/fuzz/found/$name
  mkdir -p "$found" "tests/fuzz/corpus/$name"
  echo "fuzz $name"
  # shellcheck disable=SC2086
  "$1" $limits -timeout=20 -rss_limit_mb=2500 -print_final_stats=0 -verbosity=0 -close_fd_mask=3 \
    -artifact_prefix="$found/" "$found" "tests/fuzz/corpus/$name" || { echo "FAIL $name: see $found"; return 1; }
}
export -f one
printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc)}" -I{} bash -c "one {}"
