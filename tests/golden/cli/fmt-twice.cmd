fmt ugly.tvr | $TVR fmt --check -
