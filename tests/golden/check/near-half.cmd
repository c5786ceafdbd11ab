check half.hlo near-half.hlo
