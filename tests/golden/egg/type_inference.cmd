egg type_inference.egg
