check misfit.tvr
