check billion.hlo infinite.hlo
