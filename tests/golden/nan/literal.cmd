check seq.hlo literal.hlo
