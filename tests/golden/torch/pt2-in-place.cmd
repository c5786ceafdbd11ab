show pt2/in-place.pt2
