ops dot
