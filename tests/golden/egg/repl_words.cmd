repl < repl_words.txt 2>&1 | sed -n '/  one way$/s/^ *[0-9.]*/ SECONDS/; /^ *[0-9][.][0-9]/!p'; printf '(relation r (i64))\n:help\n' | $TVR repl --syntax=egg
