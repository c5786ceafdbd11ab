check wrong.tvr
