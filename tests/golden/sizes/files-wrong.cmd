check "files/before-{s}.hlo" "files/few-{s}.hlo" --family="s < 100" | sed -n 1,2p; (exit ${PIPESTATUS[0]})
