ops mean --with=size-of-operand.tvr
