check far-near.hlo far-mask.hlo | head -1
