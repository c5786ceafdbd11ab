check matrices/seq.json matrices/local.json --relation=matrices/relation.json | head -12
