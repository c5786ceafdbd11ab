check billion.hlo infinite.hlo --strict | head -4
