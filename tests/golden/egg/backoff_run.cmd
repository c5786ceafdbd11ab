run backoff.tvr; $TVR run backoff.tvr --max-rows=12
