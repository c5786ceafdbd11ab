eval large-rationals.tvr --numbers=exact seq.one seq.small seq.x11
