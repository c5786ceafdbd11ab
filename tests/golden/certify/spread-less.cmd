certify spread-less.cert spread-less.hlo spread-less-unclipped.hlo
