check window-too-far.tvr | sed -n 1,4p; (exit ${PIPESTATUS[0]})
