check overlapping-windows.tvr --tactics=off
