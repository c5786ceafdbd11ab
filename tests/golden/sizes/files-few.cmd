check "files/before-{s}.hlo" "files/after-{s}.hlo" --family="s > 20"
