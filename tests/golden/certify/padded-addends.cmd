certify padded-addends.cert ../check/padded-addends-seq.hlo ../check/padded-addends-dist.hlo --relation=../check/padded-addends.json
