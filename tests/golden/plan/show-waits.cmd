show ../../../examples/plan/broken/device-left-behind/dist.json
