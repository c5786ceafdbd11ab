check powers.tvr --certificate="${TMPDIR:-/tmp}/powers.$$" > /dev/null && $TVR certify "${TMPDIR:-/tmp}/powers.$$" powers.tvr; code=$?; rm "${TMPDIR:-/tmp}/powers.$$"; (exit $code)
