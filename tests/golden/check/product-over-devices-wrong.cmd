check product-over-devices.hlo product-over-devices-wrong.hlo --relation=product-over-devices.json
