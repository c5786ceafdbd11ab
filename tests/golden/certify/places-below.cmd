certify places-below.cert places-seq.hlo places-dist.hlo --relation=places.json
