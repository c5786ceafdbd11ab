check running-maximum.hlo running-maximum-of-shards-wrong.hlo --relation=running-maximum.json
