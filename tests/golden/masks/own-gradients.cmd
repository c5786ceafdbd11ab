check gradients.hlo own-gradients.hlo
