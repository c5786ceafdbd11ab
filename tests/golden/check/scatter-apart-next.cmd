check scatter-apart-next.tvr
