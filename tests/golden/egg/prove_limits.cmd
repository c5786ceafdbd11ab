egg prove.egg --max-proof-lines=2 --mode=no-messages --explain='(path 1 4)'; $TVR egg prove.egg --max-proof-steps=2 --mode=no-messages --explain='(path 1 4)'
