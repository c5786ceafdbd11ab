eval fourier-of-another-rank.hlo | head -3
