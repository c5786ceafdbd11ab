check absolute.tvr --certificate="${TMPDIR:-/tmp}/absolute.$$" > /dev/null && $TVR certify "${TMPDIR:-/tmp}/absolute.$$" absolute.tvr; code=$?; rm "${TMPDIR:-/tmp}/absolute.$$"; (exit $code)
