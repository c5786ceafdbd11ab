check bags.json bags-last.json
