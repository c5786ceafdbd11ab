check seq.json dist.json --relation=same.json
