check zero-times-log.hlo nothing.hlo --strict | head -3
