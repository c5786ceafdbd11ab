check exchange-rows.seq.json exchange-rows.json --relation=exchange-rows.relation.json
