check shapes.tvr
