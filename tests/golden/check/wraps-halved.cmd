check wraps-halved.tvr
