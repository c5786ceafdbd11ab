check pt2/before.pt2 pt2/constant.pt2
