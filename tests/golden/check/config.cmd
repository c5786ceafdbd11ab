check config.hlo config.mlir --with=config.tvr
