run derived.tvr
