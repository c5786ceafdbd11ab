check assume-addends.tvr
