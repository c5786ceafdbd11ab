check merged.tvr --certificate="${TMPDIR:-/tmp}/merged.$$" > /dev/null && $TVR certify "${TMPDIR:-/tmp}/merged.$$" merged.tvr; code=$?; rm "${TMPDIR:-/tmp}/merged.$$"; (exit $code)
