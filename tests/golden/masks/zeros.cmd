check billion.hlo zeros.hlo
