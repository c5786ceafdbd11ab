run layouts.tvr
