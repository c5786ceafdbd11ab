show pt2/cut.pt2
