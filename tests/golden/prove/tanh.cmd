prove tanh.tvr
