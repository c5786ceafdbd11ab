rules derived_batch.tvr --derived | sed -n '/select/,/^$/p; /mixed/,/^$/p; /sort/,/^$/p' ; $TVR run derived_batch.tvr
