check root-once.hlo root-twice.hlo
