certify zero-times-log.cert zero-times-log.hlo nothing.hlo
