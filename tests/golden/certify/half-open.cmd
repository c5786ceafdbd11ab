check half-open.tvr --certificate="${TMPDIR:-/tmp}/half-open.$$" > /dev/null && $TVR certify "${TMPDIR:-/tmp}/half-open.$$" half-open.tvr; code=$?; rm "${TMPDIR:-/tmp}/half-open.$$"; (exit $code)
