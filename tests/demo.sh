#!/bin/bash
# Shows what tvr says about a captured training step of a transformer, and about the same step with one wrong line.
cd "$(dirname "$0")/../examples/lm-step-dp2-tp3" || exit 3
show() {
  echo "\$ tvr check seq.hlo $1 --relation relation.json"
  ../../build/tvr check seq.hlo "$1" --relation relation.json --color=always 2>&1
  echo "exit code $?"
  echo
}
echo "A training step of a small language model (loss, gradients, clipping, AdamW) on a 2 x 3 mesh."
echo
show dist.hlo
echo "The same, but the gradient norm counts parameters that every device holds once per device (examples/models/optimizer.py)."
echo
show broken/clip-copies/dist.hlo
