#!/bin/bash
# Shows what tvr says about a captured training step of a transformer, and about the same step with one wrong line.
cd "$(dirname "$0")/../examples/lm-step-dp2-tp3" || exit 3

# The beginning of the report, what is wrong with one output, the likely causes; lines cut to the screen.
show() {
  echo "\$ tvr check seq.hlo $1 --relation relation.json"
  ../../build/tvr check seq.hlo "$1" --relation relation.json --color=always > "$report" 2>&1
  code=$?
  awk '/^likely causes/ { cause = 1; print "  ..." } /^assuming/ { exit } cause ? ++n < 22 : NR <= 12' "$report" | cut -c1-150
  echo "  ... ($(wc -l < "$report") lines in all)"
  echo "exit code $code"
  echo
}
report=$(mktemp)
trap 'rm -f "$report"' EXIT
echo "A training step of a small language model (loss, gradients, clipping, AdamW) on a 2 x 3 mesh."
echo
show dist.hlo
echo "The same, but parameters that every device holds count once per device in the gradient norm:"
echo "one line of examples/models/optimizer.py is different."
echo
show broken/clip-copies/dist.hlo
