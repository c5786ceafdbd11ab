repl < repl_words.txt 2>&1 | sed 's/^ *[0-9][.][0-9]*/ SECONDS/'; printf '(relation r (i64))\n:help\n' | $TVR repl --syntax=egg
