check largest.tvr --certificate="${TMPDIR:-/tmp}/largest.$$" > /dev/null && $TVR certify "${TMPDIR:-/tmp}/largest.$$" largest.tvr; code=$?; rm "${TMPDIR:-/tmp}/largest.$$"; (exit $code)
