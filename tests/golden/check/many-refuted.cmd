check ../../../examples/block-tp3-sp/seq.hlo ../../../examples/block-tp3-sp/broken/gradient-summed-twice/dist.hlo --relation=../../../examples/block-tp3-sp/relation.json
