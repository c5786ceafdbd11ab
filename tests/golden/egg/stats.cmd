egg stats.egg 2>&1 | sed 's/^ *[0-9]*[.][0-9]*/ SECONDS/; s/"seconds": [0-9.e-]*/"seconds": SECONDS/'
