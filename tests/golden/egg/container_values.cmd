egg container_values.egg
