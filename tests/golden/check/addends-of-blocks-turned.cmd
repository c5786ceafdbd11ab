check addends-of-blocks-turned.tvr | grep -E '^ {0,2}(verified|refuted)'; (exit ${PIPESTATUS[0]})
