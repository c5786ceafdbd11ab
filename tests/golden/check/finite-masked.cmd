check finite-masked.hlo finite-always.hlo | head -1; $TVR check finite-all.hlo finite-always.hlo | head -1
