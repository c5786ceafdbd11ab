explain E0404
