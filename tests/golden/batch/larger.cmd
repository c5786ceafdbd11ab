check larger.tvr | head -1
