egg containers.egg
