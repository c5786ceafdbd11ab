check power-near-whole.tvr | head -1
