check pt2/composite.pt2 pt2/decomposed.pt2
