check row.hlo column.hlo --relation=relation.json | head -1
