explain --jsn X
