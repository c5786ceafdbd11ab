show ../../../examples/norm-hidden-tp3/dist.hlo
