check bits.hlo bits.hlo; for f in other tuple; do $TVR check bits.hlo bits-$f.hlo 2>&1 | head -3; done
