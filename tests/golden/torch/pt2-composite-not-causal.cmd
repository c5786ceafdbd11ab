check pt2/composite.pt2 pt2/not-causal.pt2
