show exchange-rows-left.json
