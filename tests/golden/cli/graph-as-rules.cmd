run x.hlo; $TVR rules x.mlir; $TVR certify ../certify/beyond.cert ../certify/dropped-seq.hlo; $TVR certify ../certify/dropped-seq.hlo ../certify/dropped-dist.hlo --relation=r.json
