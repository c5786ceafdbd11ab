check blocks-that-do-not-fit.tvr
