check tanh-of-huge.tvr | head -1
