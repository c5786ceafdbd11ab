certify root-squared.cert root-none.hlo root-squared.hlo
