check holds-count.tvr
