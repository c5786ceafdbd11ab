check pt2/open.pt2 pt2/open-fused.pt2 --family='s77 >= 4, s77 <= 6'
