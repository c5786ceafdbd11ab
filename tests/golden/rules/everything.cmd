run everything.tvr
