check ranges.tvr
