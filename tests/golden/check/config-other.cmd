check config.hlo config-other.mlir --with=config.tvr
