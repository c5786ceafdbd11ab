egg why_not.egg --why-not=odd --json
