check narrow-computed-not.tvr | grep -E '^ {0,2}(verified|refuted)|overflows'; (exit ${PIPESTATUS[0]})
