repl --syntax=prolog; $TVR repl nowhere.tvr; $TVR repl --help | head -3
