run include.tvr
