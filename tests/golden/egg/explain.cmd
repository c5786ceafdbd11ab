explain why_not.egg '(= (Mul (Var "b") (Num 0)) (Num 0))' odd '(Num 7)'
