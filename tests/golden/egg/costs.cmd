egg costs.egg
