check in-order-sorted.hlo in-order-turned.hlo
