check ../../graphs/ignored-labels-tp3/seq.hlo first-class-without-target.hlo --relation=../../graphs/ignored-labels-tp3/relation.json | grep -o '^refuted: \|^  verified .*'
