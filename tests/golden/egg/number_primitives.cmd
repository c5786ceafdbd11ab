egg number_primitives.egg
