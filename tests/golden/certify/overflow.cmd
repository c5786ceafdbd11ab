check ../check/wraps-multiply.tvr --certificate=/tmp/tvr-golden-$$.txt >/dev/null && $TVR certify /tmp/tvr-golden-$$.txt ../check/wraps-multiply.tvr; rm -f /tmp/tvr-golden-$$.txt
