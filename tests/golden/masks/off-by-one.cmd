check billion.hlo strict-billion.hlo | head -8
