check product-over-devices.hlo product-over-devices-dist.hlo --relation=product-over-devices.json
