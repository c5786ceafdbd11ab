egg strings.egg
