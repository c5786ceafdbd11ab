check mean-clamped.tvr --json | grep -v '"\(ms\|memory\|proving\|evaluating\|reading\|searching\|blaming\|steps\|classes\|references\)"' | head -60
