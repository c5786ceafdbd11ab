egg bad_merge.egg
