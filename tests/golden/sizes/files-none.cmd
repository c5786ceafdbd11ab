check "files/before-{s}.hlo" "files/after-{s}.hlo" --family="s % 7 == 3, s < 11"
