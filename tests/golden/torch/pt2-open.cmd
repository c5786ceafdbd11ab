check pt2/open.pt2 pt2/open-fused.pt2
