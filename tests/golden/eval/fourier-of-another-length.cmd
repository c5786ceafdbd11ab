eval fourier-of-another-length.hlo | head -3
