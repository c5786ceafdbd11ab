run bad_graph_action.tvr
