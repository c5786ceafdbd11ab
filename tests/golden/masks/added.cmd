check least.hlo billion.hlo
