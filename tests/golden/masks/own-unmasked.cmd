check gradients.hlo own-unmasked.hlo | grep -E '^(refuted|  verified|  refuted)'
