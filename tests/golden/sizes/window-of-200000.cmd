check window-of-200000.tvr | sed -n 1,4p; (exit ${PIPESTATUS[0]})
