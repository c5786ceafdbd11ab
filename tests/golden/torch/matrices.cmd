check matrices/seq.json matrices/dist.json --relation=matrices/relation.json
