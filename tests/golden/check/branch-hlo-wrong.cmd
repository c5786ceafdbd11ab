check branch-cond.hlo branch-where-wrong.hlo
