show unknown.json --with=own-bad.tvr
