check operands-of-one-line.tvr | sed -n 1,2p; (exit ${PIPESTATUS[0]})
