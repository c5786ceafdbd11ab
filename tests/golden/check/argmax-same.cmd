check argmax-first.hlo argmax-same.hlo
