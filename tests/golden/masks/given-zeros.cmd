check given-billion.hlo given-zeros.hlo | sed -n '1,4p; /^hint/,$p'
