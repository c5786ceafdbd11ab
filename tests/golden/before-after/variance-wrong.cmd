check variance-clipped.hlo variance-centred-wrong.hlo
