prove groups.tvr
