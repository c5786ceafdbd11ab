#!/bin/bash
# Time of `tvr check` on the larger pairs of examples/ and tests/graphs, and instructions read per second.
cd "$(dirname "$0")/.." || exit 3
TVR=${TVR:-build/tvr}
TIMEFORMAT=%R
printf '%-32s %12s %10s %14s\n' case instructions seconds instructions/s
find examples tests/graphs -mindepth 2 -maxdepth 2 -name dist.hlo -size +15k | sort | while read -r dist; do
  folder=${dist%/*}
  count=$(cat "$folder"/*.hlo | grep -c ' = ')
  seconds=$( { time "$TVR" check "$folder/seq.hlo" "$dist" --relation "$folder/relation.json" >/dev/null 2>&1; } 2>&1)
  awk -v name="${folder##*/}" -v n="$count" -v s="$seconds" 'BEGIN { printf "%-32s %12d %10.2f %14d\n", name, n, s, n / (s + 0.001) }'
done
