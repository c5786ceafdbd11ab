rules graph.tvr
