explain ../check/model.tvr
