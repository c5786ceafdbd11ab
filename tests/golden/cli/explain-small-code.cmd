explain e0404
