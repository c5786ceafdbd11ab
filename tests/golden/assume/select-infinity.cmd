check select-infinity.hlo select-infinity.hlo
