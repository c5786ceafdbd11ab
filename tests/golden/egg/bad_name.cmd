egg bad_name.egg
