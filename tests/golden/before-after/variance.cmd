check variance-clipped.hlo variance-centred.hlo
