rules derived_batch.tvr --derived | sed -n '/mixed/,/^$/p; /sort/,/^$/p' ; $TVR run derived_batch.tvr
