#!/bin/bash
# Large graph pairs: what `tvr check` costs, per phase, against reading, and how that grows with layers and devices.
#
# tests/bench/NAME.tar.gz are captured with tests/bench/capture.py.  Times are medians of five runs, in milliseconds; they
# are printed, never asserted.  `x read`: everything after reading, as a multiple of reading.  The last line reads a file
# of some 100 MB, twice: the entry of the largest graph again and again, as functions that nothing calls.
cd "$(dirname "$0")/.." || exit 3
TVR=${TVR:-build/tvr}
runs=${RUNS:-5}
work=build/bench
median() { sort -n | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'; }

printf '%-20s %7s %6s %9s %7s %7s %7s %8s %8s %8s %7s\n' \
  pair MB MB/s operators read prove 'x read' classes 'peak MB' 'x files' verdict
for archive in tests/bench/*.tar.gz; do
  name=$(basename "$archive" .tar.gz)
  mkdir -p "$work/$name" && tar xzf "$archive" -C "$work/$name" || exit 3
  files=("$work/$name/seq.hlo" "$work/$name/dist.hlo" --relation "$work/$name/relation.json")
  bytes=$(cat "$work/$name"/*.hlo | wc -c)
  : > "$work/$name/runs"
  for _ in $(seq "$runs"); do
    /usr/bin/time -f %M -o "$work/$name/peak" "$TVR" check "${files[@]}" --json > "$work/$name/report.json"
    jq -r '.stats | "\(.ms.reading) \([.ms | to_entries[] | select(.key != "reading") | .value] | add)"' \
      "$work/$name/report.json" >> "$work/$name/runs"
  done
  read_ms=$(cut -d' ' -f1 "$work/$name/runs" | median)
  prove_ms=$(cut -d' ' -f2 "$work/$name/runs" | median)
  jq -r '"\(.verdict) \(.stats.seq_nodes + .stats.dist_nodes) \(.stats.classes)"' "$work/$name/report.json" |
    awk -v name="$name" -v b="$bytes" -v r="$read_ms" -v p="$prove_ms" -v peak="$(cat "$work/$name/peak")" '{
      printf "%-20s %7.2f %6.0f %9d %7.1f %7.1f %7.1f %8d %8.1f %8.1f %s\n",
        name, b / 1e6, b / 1e3 / (r + 0.001), $2, r, p, p / (r + 0.001), $3, peak / 1e3, peak * 1e3 / b, $1 }' |
    tee -a "$work/table"
done
echo
awk '{ prove[$1] = $6 + $5; classes[$1] = $8; ops[$1] = $4 }
  function ratio(what, a, b) {
    if (prove[a] && prove[b]) printf "%-34s operators x%.2f  classes x%.2f  time x%.2f\n", what, ops[b] / ops[a], classes[b] / classes[a], prove[b] / prove[a]
  }
  END {
    ratio("32 layers against 8", "lm-8layers-tp8", "lm-32layers-tp8")
    ratio("64 devices against 8", "lm-8layers-tp8", "lm-8layers-dp8-tp8")
  }' "$work/table"
rm -f "$work/table"

awk '/^ENTRY/ { entry = 1 } { if (entry) body = body $0 "\n"; else print }
  END {
    for (k = 0; k < 94; k++) { copy = body; sub(/^ENTRY %?[^ ]*/, "again." k, copy); printf "%s\n", copy }
    printf "%s", body
  }' "$work/lm-32layers-tp8/seq.hlo" > "$work/large.hlo"
bytes=$(wc -c < "$work/large.hlo")
for _ in $(seq "$runs"); do
  "$TVR" check "$work/large.hlo" "$work/large.hlo" --json | jq .stats.ms.reading
done | median | awk -v b="$bytes" '{ printf "\nreading %.0f MB: %.0f ms, %.0f MB/s\n", b / 1e6, $1 / 2, b / 1e3 / ($1 / 2) }'
rm -f "$work/large.hlo"
