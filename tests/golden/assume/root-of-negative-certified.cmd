certify root-of-negative.cert root-of-negative-first.hlo root-of-negative-first-squared.hlo
