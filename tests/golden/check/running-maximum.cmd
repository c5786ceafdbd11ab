check running-maximum.hlo running-maximum-of-shards.hlo --relation=running-maximum.json
