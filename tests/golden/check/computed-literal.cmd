check computed-literal.hlo computed-literal-other.hlo
