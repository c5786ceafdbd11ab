lint alike.hlo --relation=alike.json
