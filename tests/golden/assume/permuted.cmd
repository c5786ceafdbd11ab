check as-it-is.hlo permuted.hlo
