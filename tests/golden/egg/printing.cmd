egg printing.egg
