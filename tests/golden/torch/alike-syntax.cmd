show alike/syntax.json
