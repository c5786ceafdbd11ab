check zero-over.tvr
