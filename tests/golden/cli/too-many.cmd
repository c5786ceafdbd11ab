explain E0404 E0405
