egg proofs_long.egg | cut -c1-160 | awk 'NR % 100 == 1 || NR > 800'
