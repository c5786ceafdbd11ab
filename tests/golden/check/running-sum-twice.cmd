check running-sum-twice.tvr
