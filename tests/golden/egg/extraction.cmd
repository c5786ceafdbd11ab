egg extraction.egg
