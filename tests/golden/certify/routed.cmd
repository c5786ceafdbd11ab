check routed.tvr --certificate="${TMPDIR:-/tmp}/routed.$$" > /dev/null && $TVR certify "${TMPDIR:-/tmp}/routed.$$" routed.tvr; code=$?; rm "${TMPDIR:-/tmp}/routed.$$"; (exit $code)
