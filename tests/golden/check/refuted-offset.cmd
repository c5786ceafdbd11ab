check ../../../examples/vocabulary-tp3/seq.hlo ../../../examples/vocabulary-tp3/broken/offset/dist.hlo --relation ../../../examples/vocabulary-tp3/relation.json
