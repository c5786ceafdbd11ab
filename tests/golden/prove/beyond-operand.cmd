prove beyond-operand.tvr
