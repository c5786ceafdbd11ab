show member.json
