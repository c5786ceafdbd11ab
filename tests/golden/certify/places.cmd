certify places.cert places-seq.hlo places-dist.hlo --relation=places.json
