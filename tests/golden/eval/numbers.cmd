eval small.hlo yy --numbers=double
