check divided.tvr --strict --assume=rules
