check branch-cond.hlo branch-where.hlo
