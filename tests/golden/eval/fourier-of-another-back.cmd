eval fourier-of-another-back.hlo | head -3
