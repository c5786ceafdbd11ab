check branch-collective.hlo branch-collective-apart.hlo --relation=branch-collective.json
