show meet-at-places.json
