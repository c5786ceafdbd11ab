check ignored.tvr --certificate="${TMPDIR:-/tmp}/ignored.$$" > /dev/null && $TVR certify "${TMPDIR:-/tmp}/ignored.$$" ignored.tvr; code=$?; rm "${TMPDIR:-/tmp}/ignored.$$"; (exit $code)
