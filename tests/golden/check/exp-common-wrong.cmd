check exp-common-wrong.tvr
