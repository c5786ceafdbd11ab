check mask-of-eights.tvr | sed -n 1,2p; (exit ${PIPESTATUS[0]})
