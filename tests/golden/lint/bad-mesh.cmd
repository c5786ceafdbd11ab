lint gather-sliced.hlo --mesh=dp
