check channels-seq.json channels-second.json --relation=channels-relation.json
