run json.tvr --json; $TVR rules json.tvr --json
