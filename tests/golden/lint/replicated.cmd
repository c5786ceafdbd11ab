lint replicated.hlo --relation=replicated.json
