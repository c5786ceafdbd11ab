egg arithmetic.egg
