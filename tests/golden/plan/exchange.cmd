check ../../graphs/plans/one.pkl ../../graphs/plans/one-tp2.json | head -2
