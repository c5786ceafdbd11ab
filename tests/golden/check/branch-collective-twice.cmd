check branch-collective-always.hlo branch-collective-twice.hlo --relation=branch-collective.json
