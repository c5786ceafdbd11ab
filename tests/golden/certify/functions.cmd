check functions.tvr --certificate="${TMPDIR:-/tmp}/functions.$$" > /dev/null && $TVR certify "${TMPDIR:-/tmp}/functions.$$" functions.tvr; code=$?; rm "${TMPDIR:-/tmp}/functions.$$"; (exit $code)
