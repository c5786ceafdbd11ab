check mean-not-80000.tvr | sed -n 1,2p; (exit ${PIPESTATUS[0]})
