run graph.tvr
