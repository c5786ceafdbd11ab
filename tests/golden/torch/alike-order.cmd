show alike/order.json
