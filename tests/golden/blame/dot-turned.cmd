check dot-turned-seq.hlo dot-turned.hlo
