prove tutorial.tvr
