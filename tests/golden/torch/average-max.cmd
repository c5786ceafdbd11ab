check average/seq.json average/dist.json --relation=average/max.json
