#!/bin/bash
# Fuzzes each program as libFuzzer's options say: tests/fuzz/run.sh "-max_total_time=60" PROGRAM...
# Starts from the kept corpus tests/fuzz/corpus/NAME (for fuzz_NAME); what it finds goes to build/fuzz/found/NAME.
cd "$(dirname "$0")/../.." || exit 3
read -ra limits <<<"$1"
shift
bad=0
for program; do
  name=${program##*/fuzz_}
  found=build/fuzz/found/$name
  mkdir -p "$found" "tests/fuzz/corpus/$name"
  echo "fuzz $name"
  "$program" "${limits[@]}" -timeout=20 -rss_limit_mb=2500 -print_final_stats=0 -verbosity=0 -close_fd_mask=3 \
    -artifact_prefix="$found/" "$found" "tests/fuzz/corpus/$name" || { echo "FAIL $name: see $found"; bad=1; }
done
exit $bad
