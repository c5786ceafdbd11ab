check seq.hlo guarded.hlo
