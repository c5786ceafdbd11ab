check sum.json sum-of-five.json --relation=one-value.json | head -4
