check seq.hlo always.hlo
