lint alike-not.hlo --relation=alike-not.json
