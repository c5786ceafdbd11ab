egg limit_join.egg --max-matches=100000
