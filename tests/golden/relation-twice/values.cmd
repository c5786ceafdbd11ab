check sum.json sum-of-five.json --relation=values.json
