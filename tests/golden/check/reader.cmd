check reader.tvr
