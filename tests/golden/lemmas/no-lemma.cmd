check sorted.hlo taken.hlo
