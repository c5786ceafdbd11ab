check ../../../examples/accumulate-dp2/seq.hlo ../../../examples/accumulate-dp2/broken/not-divided/dist.hlo --relation ../../../examples/accumulate-dp2/relation.json
