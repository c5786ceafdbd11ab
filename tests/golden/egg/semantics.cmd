egg semantics.egg
