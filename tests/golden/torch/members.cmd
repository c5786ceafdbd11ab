show members.json
