show ../../graphs/torch-gradient-buffer-dp3/dist.json | grep -E '^[0-9]+  (all_reduce|concatenate|dynamic_update_slice)'
