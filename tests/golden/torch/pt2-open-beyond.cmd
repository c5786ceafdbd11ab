show pt2/open-range.pt2 --sizes=s77=2000; $TVR show pt2/open-range.pt2 --sizes=s77=1; $TVR show pt2/open-range.pt2 --sizes=s77=1024 | tail -1
