check window-bounded.tvr | sed -n 1,4p; (exit ${PIPESTATUS[0]})
