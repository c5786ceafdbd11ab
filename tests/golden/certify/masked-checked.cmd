check masked-at-a-place.hlo not-masked.hlo | head -1
