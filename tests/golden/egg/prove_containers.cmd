egg prove_containers.egg
