check root-once.hlo root-rounded.hlo
