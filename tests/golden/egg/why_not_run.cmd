run why_not.tvr --explain='path(1, 3)' --why-not=self; $TVR run why_not.tvr --explain='path(3, 1)'; $TVR run why_not.tvr --explain='path(3,'
