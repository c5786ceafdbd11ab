rules layouts.tvr --json
