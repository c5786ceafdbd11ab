check own-operators.tvr --certificate="${TMPDIR:-/tmp}/own.$$" && $TVR certify "${TMPDIR:-/tmp}/own.$$" own-operators.tvr; code=$?; rm "${TMPDIR:-/tmp}/own.$$"; (exit $code)
