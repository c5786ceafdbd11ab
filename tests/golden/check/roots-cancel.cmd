check roots-apart.hlo roots-cancel.hlo
