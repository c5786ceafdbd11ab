check config.hlo config.mlir --with=config-misspelt.tvr
