check guessed.tvr
