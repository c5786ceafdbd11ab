check angles.tvr --certificate="${TMPDIR:-/tmp}/angles.$$" > /dev/null && $TVR certify "${TMPDIR:-/tmp}/angles.$$" angles.tvr; code=$?; rm "${TMPDIR:-/tmp}/angles.$$"; (exit $code)
