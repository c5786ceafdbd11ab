certify masked-at-a-place.cert masked-at-a-place.hlo not-masked.hlo
