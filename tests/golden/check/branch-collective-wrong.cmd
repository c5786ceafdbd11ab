check branch-collective.hlo branch-collective-wrong.hlo --relation=branch-collective.json
