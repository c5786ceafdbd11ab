check --max-work=1 ../../graphs/torch-channels-tp3/seq.json ../../graphs/torch-channels-tp3/dist.json --relation ../../graphs/torch-channels-tp3/relation.json | head -1
