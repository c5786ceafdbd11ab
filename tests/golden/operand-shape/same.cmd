check row.hlo row.hlo --relation=relation.json | head -1
