egg ties.egg
