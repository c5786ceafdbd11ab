lint unneeded-not.json
