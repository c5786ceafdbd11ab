show no.hlo
