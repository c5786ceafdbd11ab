show alike/fewer.json
