check wrong.tvr --with=root.tvr --color=never
