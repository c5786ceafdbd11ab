check ../../graphs/plans/large.json ../../graphs/plans/large-dp512-swapped.pkl
