show pt2/after.pt2
