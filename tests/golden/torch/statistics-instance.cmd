check statistics-instance.json statistics-instance.json
