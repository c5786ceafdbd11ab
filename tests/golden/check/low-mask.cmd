check low-mask.hlo low-mask-other.hlo
