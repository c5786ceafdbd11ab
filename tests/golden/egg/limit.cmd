egg --max-rows=5000 limit.egg
