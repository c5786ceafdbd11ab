egg matrices.egg
