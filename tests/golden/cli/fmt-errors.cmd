fmt missing.tvr - <<< "graph = hlo(3)"
