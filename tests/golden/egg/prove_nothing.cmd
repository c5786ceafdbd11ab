egg prove_nothing.egg
