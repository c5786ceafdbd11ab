certify huge.cert huge-s.hlo huge-d.hlo --relation=huge.json
