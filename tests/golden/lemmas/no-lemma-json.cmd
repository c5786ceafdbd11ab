check places.hlo carried.hlo --json | grep -A1 '"lemma'
