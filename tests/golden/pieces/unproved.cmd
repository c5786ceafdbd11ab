check wrong.tvr --points=0
