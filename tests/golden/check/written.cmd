check written.tvr
