check sorted.hlo taken.hlo --json | grep -A1 '"lemma'
