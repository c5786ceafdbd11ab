show pt2/sizes.pt2 --sizes=s27=9; for s in 16 23; do $TVR show pt2/sizes.pt2 --sizes=s27=$s | grep 'constant\|error'; done
