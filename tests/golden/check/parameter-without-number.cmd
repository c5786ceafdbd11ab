check parameter-without-number.tvr
