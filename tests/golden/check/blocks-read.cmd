check blocks-read.tvr
