prove --json vacuous.tvr
