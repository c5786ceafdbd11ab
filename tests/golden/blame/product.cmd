check product/seq.hlo product/dist.hlo --relation=product/relation.json
