check seq.json dist.json --relation=range.json
