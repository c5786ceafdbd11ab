check in-order-sorted.hlo in-order-taken.hlo
