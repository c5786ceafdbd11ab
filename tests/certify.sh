#!/bin/bash
# Certificates of every graph pair that is verified: tests/certify.sh [PAIR...] (default: all examples, and small plans)
#
# A pair is a folder, which holds seq.hlo and dist.hlo (or .mlir, .json) and relation.json, or before.onnx and after.onnx;
# or SEQ:DIST, two files without a relation; or NAME.case.json, which says what plan NAME.pkl is distributed from.  For each:
# the milliseconds of the check, of the check that writes the certificate, and of its replay; the size of the certificate,
# and what part that is of both files'.
# The last line counts.  What is verified and not certified is named with the reason; a certificate that was written as a
# proof and does not hold is a failure.
set -u
cd "$(dirname "$0")/.." || exit 3
tvr=${TVR:-$PWD/build/tvr}
plans=tests/graphs/plans
[ $# -gt 0 ] || set -- examples/*/ examples/torch/*/ examples/onnx/*/ $plans/mlp.json:$plans/mlp-dp2-pp2-tp2.json
proof=$(mktemp)
trap 'rm -f "$proof"' EXIT
timed() { local from=${EPOCHREALTIME/./}; "$@"; code=$?; spent=$(((${EPOCHREALTIME/./} - from) / 1000)); return $code; }
verified=0 certified=0 failed=0
printf '%-44s %7s %7s %7s %9s %5s\n' pair check write replay bytes part
for given in "$@"; do
  case $given in
    *.case.json)
      pair=("${given%/*}/$(sed -n 's/.*"sequential": "\(.*\)".*/\1/p' "$given").pkl" "${given%.case.json}.pkl")
      grep -q '"expect": "verified"' "$given" || pair+=(--pieces=indices) ;;
    *:*) pair=("${given%%:*}" "${given#*:}") ;;
    *)
      for ext in hlo mlir json; do [ -f "$given/dist.$ext" ] && break; done
      pair=("$given/seq.$ext" "$given/dist.$ext")
      [ -f "$given/relation.json" ] && pair+=("--relation=$given/relation.json")
      [ -f "$given/after.onnx" ] && pair=("$given/before.onnx" "$given/after.onnx") ;;
  esac
  [ -f "${pair[0]}" ] && [ -f "${pair[1]}" ] || continue
  timed timeout 120 "$tvr" check "${pair[@]}" > "$proof.out" 2>&1 || continue
  check=$spent verified=$((verified + 1))
  timed timeout 120 "$tvr" check "${pair[@]}" --certificate="$proof" > "$proof.out" 2>&1
  write=$spent name=$(basename "${given%.case.json}")
  timed timeout 120 "$tvr" certify "$proof" "${pair[@]}" > "$proof.out" 2>&1
  case $code in
    0) certified=$((certified + 1))
       size=$(stat -c %s "$proof") graphs=$(cat "${pair[0]}" "${pair[1]}" | wc -c)
       printf '%-44s %7d %7d %7d %9d %4d%%\n' "$name" "$check" "$write" "$spent" "$size" $((100 * size / graphs)) ;;
    2) printf '%-44s %s\n' "$name" "$(head -1 "$proof.out")" ;;
    *) printf 'FAIL %-39s %s\n' "$name" "$(head -1 "$proof.out")"; failed=$((failed + 1)) ;;
  esac
done
rm -f "$proof.out"
echo "$verified verified, $certified certified, $failed failed"
[ "$failed" = 0 ] && [ "$verified" != 0 ]
