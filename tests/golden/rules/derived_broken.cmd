run derived_broken.tvr
