check mean-of-few.tvr | sed -n 1,2p; (exit ${PIPESTATUS[0]})
