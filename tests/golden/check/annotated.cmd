check annotated.hlo annotated-not.hlo | head -1; $TVR check annotated.hlo annotated-other.hlo | head -1
