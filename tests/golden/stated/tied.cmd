check tied.tvr | head -4
