show alike/differs.json
