check ../../graphs/plans/tied.json ../../graphs/plans/tied-pp3-alone.pkl | head -2
