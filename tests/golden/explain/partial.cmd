explain ../check/model.tvr dist.psum.12 dist.dot_general.20
