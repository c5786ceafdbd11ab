check ../../graphs/plans/tied.json ../../graphs/plans/tied-pp3-tp2.pkl | head -2
