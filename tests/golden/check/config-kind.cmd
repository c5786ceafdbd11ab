check config.hlo config.mlir --with=config-kind.tvr
