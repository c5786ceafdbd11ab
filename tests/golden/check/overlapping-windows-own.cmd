check overlapping-windows-own.tvr --tactics=off
