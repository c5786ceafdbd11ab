egg json.egg --json; $TVR egg json_syntax.egg --json
