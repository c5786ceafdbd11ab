check ../../graphs/loops-layers-tp2/seq.hlo ../../graphs/loops-layers-tp2/dist.hlo --relation=../../graphs/loops-layers-tp2/relation.json --certificate=/dev/stdout | grep -c -e ^kept
