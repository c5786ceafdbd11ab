check channels-seq.json channels-first.json --relation=channels-relation.json
