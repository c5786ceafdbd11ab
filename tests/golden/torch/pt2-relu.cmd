check pt2/relu.pt2 pt2/relu-in-place.pt2
