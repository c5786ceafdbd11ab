repl < repl_graph.txt
