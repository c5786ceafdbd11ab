check attention-repeated.json attention-repeated.json
