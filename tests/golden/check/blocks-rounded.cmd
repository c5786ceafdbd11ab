check blocks-rounded.tvr
