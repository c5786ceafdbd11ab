check absolute-wrong.tvr
