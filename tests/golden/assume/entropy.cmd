check entropy-chosen.hlo entropy.hlo
