egg prove.egg
