check argmax-first.hlo argmax-last.hlo | head -1
