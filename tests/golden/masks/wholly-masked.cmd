check strict-billion.hlo strict-infinite.hlo | sed -n '1,4p; /^assuming/,$p'
