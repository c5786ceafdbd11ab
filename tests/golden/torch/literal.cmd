check literal-none.json literal-text.json
