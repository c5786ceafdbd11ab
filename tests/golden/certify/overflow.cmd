check overflow.tvr --certificate=/tmp/tvr-golden-$$.txt >/dev/null && $TVR certify /tmp/tvr-golden-$$.txt overflow.tvr; rm -f /tmp/tvr-golden-$$.txt
