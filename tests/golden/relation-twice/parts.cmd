check double.hlo double-parts.hlo --relation=parts.json | head -1
