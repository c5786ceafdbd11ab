prove vacuous.tvr
