check blocks-no-order.tvr
