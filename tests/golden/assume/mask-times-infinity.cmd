check mask-times-infinity.hlo select-infinity.hlo
