check condition-number.tvr --details=1
