certify masks.cert least.hlo billion.hlo
