egg constants.egg
