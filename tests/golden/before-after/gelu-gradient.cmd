check gelu-gradient-traced.hlo gelu-gradient-written.hlo
