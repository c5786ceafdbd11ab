check mean-of-48.tvr | sed -n 1,2p; (exit ${PIPESTATUS[0]})
