check unknown-attribute.hlo unknown-attribute-without.hlo
