check "files/before-{s}.hlo" "files/few-{s}.hlo" --family="s % 8 == 0, s != 40" 2>&1
