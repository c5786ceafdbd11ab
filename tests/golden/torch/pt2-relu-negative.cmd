check pt2/relu.pt2 pt2/relu-negative.pt2 | head -1
