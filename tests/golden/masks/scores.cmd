check scores-billion.hlo scores-trillion.hlo | head -8
