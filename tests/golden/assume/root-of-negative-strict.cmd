check root-of-negative-first.hlo root-of-negative-first-squared.hlo --strict
