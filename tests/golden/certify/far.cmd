certify far.cert ../check/far-near.hlo ../check/far-slice.hlo
