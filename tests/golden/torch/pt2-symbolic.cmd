show pt2/symbolic.pt2
