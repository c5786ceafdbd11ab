check mean-from-24.tvr | sed -n 1,2p; (exit ${PIPESTATUS[0]})
