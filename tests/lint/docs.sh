#!/bin/bash
# Documentation keeps up: every command is in README.md, every error code in SPEC.md, every example in its table.
cd "$(dirname "$0")/../.." || exit 3
bad=0
missing() { echo "$1 is missing in $2"; bad=1; }
for name in $(sed -n 's/^COMMAND(\([a-z_]*\),.*/\1/p' frontends/cli/commands.def); do
  grep -q "^| \`tvr $name[ \`]" README.md || missing "tvr $name" README.md
done
for code in $(grep -o '"[EW][0-9]*"' lang/base/diag.def | tr -d '"'); do
  grep -q "^### $code: " SPEC.md || missing "### $code: .." SPEC.md
done
for file in examples/*/seq.* examples/*/*/seq.* examples/onnx/*/before.onnx; do
  folder=${file%/*}
  grep -q "\`${folder##*/}\`" examples/README.md || missing "$folder" examples/README.md
done
exit $bad
