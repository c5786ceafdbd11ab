check ../../../examples/norm-sp4/seq.hlo ../../../examples/norm-sp4/broken/gradient-not-summed/dist.hlo --relation ../../../examples/norm-sp4/relation.json
