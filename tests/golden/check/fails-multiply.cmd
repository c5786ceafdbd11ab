check fails-multiply.tvr; $TVR check fails-multiply.tvr --assume=narrowing | head -1
