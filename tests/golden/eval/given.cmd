eval small.hlo --inputs=small.json square total y
