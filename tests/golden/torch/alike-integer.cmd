show alike/integer.json
