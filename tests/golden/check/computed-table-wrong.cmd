check computed-table-wrong.tvr | sed -n 1,2p; (exit ${PIPESTATUS[0]})
