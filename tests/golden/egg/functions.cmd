egg functions.egg
