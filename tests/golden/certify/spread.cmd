certify spread.cert spread.hlo spread-unclipped.hlo
