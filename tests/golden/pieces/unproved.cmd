check wrong.tvr --points=0 --details=0
