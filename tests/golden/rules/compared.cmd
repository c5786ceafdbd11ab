run compared.tvr
