egg bad_set.egg
