reduce words-seq.hlo words-dist.hlo --relation=words.json
