check ../../graphs/layers-long-cp4/seq.hlo ../../graphs/layers-long-cp4/broken/not-rescaled/dist.hlo --relation ../../graphs/layers-long-cp4/relation.json | grep -E '^[a-z]|not evaluated|^  [1-9]\.'
