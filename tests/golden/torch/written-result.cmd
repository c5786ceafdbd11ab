check written-result.json written-result.json
