check quotients-cancel.tvr
