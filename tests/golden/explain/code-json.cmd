explain E0404 --json
