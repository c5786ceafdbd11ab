egg bad_types.egg
