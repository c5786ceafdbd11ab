check difference.hlo difference-turned.hlo --relation=same-name.json | head -1
