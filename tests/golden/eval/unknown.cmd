eval small.hlo yy
