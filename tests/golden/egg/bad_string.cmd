egg bad_string.egg
