check addends-of-blocks.tvr
