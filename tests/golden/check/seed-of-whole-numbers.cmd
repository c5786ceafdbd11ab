check ../reduce/inferred.tvr --seed=1099511627777 | grep "(seed"
