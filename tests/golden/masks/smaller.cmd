certify smaller.cert least.hlo billion.hlo
