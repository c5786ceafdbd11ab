ops --json all_gather
