check gelu-gradient-traced.hlo gelu-gradient-written-wrong.hlo
