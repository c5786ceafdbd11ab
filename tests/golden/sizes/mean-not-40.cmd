check mean-not-40.tvr | sed -n 1,2p; (exit ${PIPESTATUS[0]})
