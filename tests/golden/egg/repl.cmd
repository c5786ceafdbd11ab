repl < repl.txt
