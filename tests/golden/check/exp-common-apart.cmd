check exp-common-apart.tvr
