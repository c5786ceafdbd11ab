repl --syntax=egg < repl_egg.txt; echo "(check (= 1 2))" | $TVR repl why_not.egg
