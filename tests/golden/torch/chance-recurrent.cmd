check chance-recurrent-twice.json chance-recurrent-once.json
