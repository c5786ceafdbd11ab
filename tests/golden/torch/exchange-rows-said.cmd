show exchange-rows-said.json
