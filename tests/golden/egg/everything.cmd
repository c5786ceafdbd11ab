egg everything.egg
