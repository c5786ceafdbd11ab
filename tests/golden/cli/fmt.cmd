fmt ugly.tvr
