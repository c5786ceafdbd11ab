check ../../graphs/plans/tied.json ../../graphs/plans/tied-pp3.pkl | head -2
