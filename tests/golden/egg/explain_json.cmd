explain why_not.egg '(Mul (Var "b") (Num 0))' --json
