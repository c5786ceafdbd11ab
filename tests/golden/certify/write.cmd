check ../../../examples/matmul-rows-tp3/seq.hlo ../../../examples/matmul-rows-tp3/dist.hlo --relation=../../../examples/matmul-rows-tp3/relation.json --certificate=/dev/stderr 2>&1 >/dev/null | zcat
