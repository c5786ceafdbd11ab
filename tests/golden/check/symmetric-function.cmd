check symmetric-function.tvr | head -1
