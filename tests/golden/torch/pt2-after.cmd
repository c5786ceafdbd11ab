check pt2/before.pt2 pt2/after.pt2
