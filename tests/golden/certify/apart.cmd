check apart.tvr --certificate="${TMPDIR:-/tmp}/apart.$$" > /dev/null && $TVR certify "${TMPDIR:-/tmp}/apart.$$" apart.tvr; code=$?; rm "${TMPDIR:-/tmp}/apart.$$"; (exit $code)
