check parting/seq.json parting/dist.json --relation=parting/relation.json
