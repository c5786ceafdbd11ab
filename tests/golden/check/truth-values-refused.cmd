check truth-values.tvr --strict | tail -4
