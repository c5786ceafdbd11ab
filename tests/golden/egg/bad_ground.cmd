egg bad_ground.egg
