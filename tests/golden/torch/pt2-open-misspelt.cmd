check pt2/open.pt2 pt2/open-fused.pt2 --family='s78 >= 4'; $TVR show pt2/open.pt2 --sizes=s78=4; $TVR show pt2/open.pt2 --sizes=s77=4,s78=4
