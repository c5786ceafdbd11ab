egg bad_query.egg
