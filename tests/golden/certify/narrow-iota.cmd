check ../check/narrow-iota.tvr --certificate=/tmp/tvr-golden-$$.txt >/dev/null && $TVR certify /tmp/tvr-golden-$$.txt ../check/narrow-iota.tvr; rm -f /tmp/tvr-golden-$$.txt
