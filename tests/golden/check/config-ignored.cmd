check config.hlo config-other.mlir --with=config-ignored.tvr
