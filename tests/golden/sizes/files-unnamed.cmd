check "files/before-{n}.hlo" "files/after-{s}.hlo"
