check symmetric-function-of-two.tvr | head -1
