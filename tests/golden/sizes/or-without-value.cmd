check or-without-value.tvr | sed -n 1,2p; (exit ${PIPESTATUS[0]})
