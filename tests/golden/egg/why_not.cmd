egg why_not.egg --why-not=odd; for rule in mul-zero 5 hidden never; do $TVR egg why_not.egg --why-not=$rule; done
