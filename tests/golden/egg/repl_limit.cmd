repl --max-iterations=100 < repl_limit.txt
