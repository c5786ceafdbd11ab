check meet-at-places.json meet-at-places-added.json
