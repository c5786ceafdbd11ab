check pieces.seq.json pieces.json --relation=pieces.relation.json
