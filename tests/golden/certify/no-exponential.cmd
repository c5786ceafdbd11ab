certify no-exponential.cert no-exponential-seq.hlo no-exponential-dist.hlo
