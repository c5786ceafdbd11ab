egg input.egg
