check lineage.tvr
