check seq.hlo infinite.hlo
