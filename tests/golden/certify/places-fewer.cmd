certify places-fewer.cert places-seq.hlo places-dist.hlo --relation=places.json
