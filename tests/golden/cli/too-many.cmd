show a.hlo b.hlo
