check narrow-iota.tvr; $TVR check narrow-iota.tvr --strict | head -1
