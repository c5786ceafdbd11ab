lint unneeded.json
