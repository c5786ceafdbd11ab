show pt2/open.pt2
