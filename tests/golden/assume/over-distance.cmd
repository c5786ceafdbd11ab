check over-distance.hlo by-itself.hlo
