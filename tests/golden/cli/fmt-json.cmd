fmt --json - <<< "op"
