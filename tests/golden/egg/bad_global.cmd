egg bad_global.egg
