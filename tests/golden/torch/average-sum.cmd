check average/seq.json average/dist.json --relation=average/sum.json | head -6
