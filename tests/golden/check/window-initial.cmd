check window-initial.tvr
