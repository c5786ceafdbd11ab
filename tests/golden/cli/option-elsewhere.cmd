explain --write E0001
