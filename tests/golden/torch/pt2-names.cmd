check pt2/before.pt2 ../../graphs/torch-mlp-tp2/seq.json
