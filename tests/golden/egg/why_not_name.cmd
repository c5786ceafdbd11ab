egg why_not.egg --why-not=ood
