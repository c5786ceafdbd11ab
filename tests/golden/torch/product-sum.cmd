check product/seq.json product/sum.json --relation=product/relation.json
