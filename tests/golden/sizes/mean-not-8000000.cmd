check mean-not-8000000.tvr | sed -n 1,2p; (exit ${PIPESTATUS[0]})
