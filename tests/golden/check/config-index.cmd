check config-index.hlo config-index.hlo --with=config-index.tvr
