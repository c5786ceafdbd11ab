check zero-times-quotient.tvr
