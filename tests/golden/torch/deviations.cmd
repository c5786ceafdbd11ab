eval deviations.json
