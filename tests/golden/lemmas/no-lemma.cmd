check places.hlo carried.hlo
