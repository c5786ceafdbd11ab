check halo.tvr --certificate="${TMPDIR:-/tmp}/halo.$$" >/dev/null && $TVR certify "${TMPDIR:-/tmp}/halo.$$" halo.tvr; code=$?; rm "${TMPDIR:-/tmp}/halo.$$"; (exit $code)
