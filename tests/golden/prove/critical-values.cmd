prove critical-values.tvr
