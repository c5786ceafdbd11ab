eval shift-left.hlo --inputs=shift-left.json --numbers=doubles
