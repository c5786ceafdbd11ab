show ../../../tests/graphs/experts-ep4/dist.hlo
