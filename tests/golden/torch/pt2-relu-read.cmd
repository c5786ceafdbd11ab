show pt2/relu-read.pt2
