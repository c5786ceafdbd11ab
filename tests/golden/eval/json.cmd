eval small.hlo --inputs=small.json --json total y
