egg bad_lookup.egg
