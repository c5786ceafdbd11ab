check truth-values.tvr --strict --assume=narrowing
