check indivisible.tvr 2>&1 | head -4
