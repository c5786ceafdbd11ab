explain E404
