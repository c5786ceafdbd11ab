check "../../../examples/families/mlp-tp2/seq-{s}.json" "../../../examples/families/mlp-tp2/dist-{s}.json" --relation="../../../examples/families/mlp-tp2/relation-{s}.json" --family="s % 4 == 0"
