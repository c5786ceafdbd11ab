check exp-common.tvr
