show ../../../examples/norm-hidden-tp3/dist.hlo --json | jq -c "(.operators | length), .operators[0], (.operators[] | select(.operator == \"multiply\")), .outputs"
