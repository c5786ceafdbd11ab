run derived_rewriting.tvr
