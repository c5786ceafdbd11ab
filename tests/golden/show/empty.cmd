show - <<< "HloModule m"
