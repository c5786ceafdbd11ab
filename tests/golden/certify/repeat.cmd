certify repeat.cert repeat-seq.hlo repeat-dist.hlo --relation=repeat.json
