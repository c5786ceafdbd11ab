check padded-addends-seq.hlo padded-addends-dist.hlo --relation=padded-addends.json --points=0 --coarse-points=0 --later-points=0 | grep dist[.]o
