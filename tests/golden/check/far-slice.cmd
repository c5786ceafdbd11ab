check far-near.hlo far-slice.hlo | head -1
