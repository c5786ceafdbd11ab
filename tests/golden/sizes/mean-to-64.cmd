check mean-to-64.tvr | sed -n 1,2p; (exit ${PIPESTATUS[0]})
