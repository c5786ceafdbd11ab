check exchange-seq.hlo exchange.hlo --relation=exchange.json; for f in swapped turned shapes; do $TVR check exchange-seq.hlo exchange-$f.hlo --relation=exchange.json 2>&1 | head -3; done
