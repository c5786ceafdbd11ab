check seq.json dist.json --relation=blocks.json
