show unknown.json --with=own.tvr
