egg joins.egg
