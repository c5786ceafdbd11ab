eval small.hlo --inputs=small.json --numbers=exact square total
