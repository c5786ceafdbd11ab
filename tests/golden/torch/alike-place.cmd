show alike/place.json
