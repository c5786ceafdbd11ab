eval small.hlo --inputs=wrong.json
