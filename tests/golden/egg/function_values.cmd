egg function_values.egg
