check argmax-first.hlo argmax-either.hlo | head -1
