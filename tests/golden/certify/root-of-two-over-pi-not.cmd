check root-of-two-over-pi-not.tvr | grep -E '^ {0,2}(verified|refuted)'; (exit ${PIPESTATUS[0]})
