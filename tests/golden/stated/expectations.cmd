check expectations.tvr | head -3
