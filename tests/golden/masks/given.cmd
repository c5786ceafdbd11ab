check given-billion.hlo given-infinite.hlo | sed -n '1,4p; /^assuming/,$p'
