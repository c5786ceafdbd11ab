check branch-collective.hlo branch-collective-dist.hlo --relation=branch-collective.json
