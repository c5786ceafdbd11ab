egg order.egg
