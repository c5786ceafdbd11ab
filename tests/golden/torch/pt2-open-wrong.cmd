check pt2/open.pt2 pt2/open-wrong.pt2 | head -3
