check loop-effect.hlo loop-effect-none.hlo
