check masked-negative.hlo masked-negative-other.hlo | head -1
