check root-of-negative.hlo root-of-negative-squared.hlo
