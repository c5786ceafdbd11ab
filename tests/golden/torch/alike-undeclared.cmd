show alike/undeclared.json
