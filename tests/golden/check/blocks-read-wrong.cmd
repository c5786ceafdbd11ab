check blocks-read-wrong.tvr
