run group_order.tvr
