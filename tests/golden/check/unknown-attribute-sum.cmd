check unknown-attribute-sum.hlo unknown-attribute-sum.hlo
