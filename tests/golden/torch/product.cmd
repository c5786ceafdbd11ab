check product/seq.json product/dist.json --relation=product/relation.json
