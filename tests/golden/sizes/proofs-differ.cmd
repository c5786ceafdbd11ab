check proofs-differ.tvr
