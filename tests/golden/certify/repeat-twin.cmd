certify repeat.cert repeat-seq.hlo repeat-twin.hlo --relation=repeat.json
