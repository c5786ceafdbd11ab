check bags.json bags-none.json
