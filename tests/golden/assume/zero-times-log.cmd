check zero-times-log.hlo nothing.hlo
