egg choices.egg
