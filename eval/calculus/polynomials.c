/* polynomials: the functions of FLINT that fractions.c compares values with, loaded by their first use (library.h). */
#include <flint/fmpq_mpoly.h>

#include "lang/base/library.h"

#define FLINT(type, name, params, args) LIBRARY_FUNCTION("libflint-arb.so.2", type, name, params, args)

FLINT(void, fmpq_mpoly_add, (fmpq_mpoly_t z, const fmpq_mpoly_t x, const fmpq_mpoly_t y, const fmpq_mpoly_ctx_t c),
      (z, x, y, c))
FLINT(void, fmpq_mpoly_mul, (fmpq_mpoly_t z, const fmpq_mpoly_t x, const fmpq_mpoly_t y, const fmpq_mpoly_ctx_t c),
      (z, x, y, c))
FLINT(void, fmpq_mpoly_sub, (fmpq_mpoly_t z, const fmpq_mpoly_t x, const fmpq_mpoly_t y, const fmpq_mpoly_ctx_t c),
      (z, x, y, c))
FLINT(void, fmpq_mpoly_get_fmpq, (fmpq_t z, const fmpq_mpoly_t x, const fmpq_mpoly_ctx_t c), (z, x, c))
FLINT(int, fmpq_mpoly_pow_ui, (fmpq_mpoly_t z, const fmpq_mpoly_t x, ulong n, const fmpq_mpoly_ctx_t c), (z, x, n, c))
FLINT(void, fmpq_mpoly_scalar_mul_fmpq, (fmpq_mpoly_t z, const fmpq_mpoly_t x, const fmpq_t y, const fmpq_mpoly_ctx_t c),
      (z, x, y, c))
FLINT(void, fmpq_mpoly_to_univar, (fmpq_mpoly_univar_t z, const fmpq_mpoly_t x, slong var, const fmpq_mpoly_ctx_t c),
      (z, x, var, c))
FLINT(void, fmpq_mpoly_univar_init, (fmpq_mpoly_univar_t x, const fmpq_mpoly_ctx_t c), (x, c))
FLINT(void, fmpq_mpoly_univar_clear, (fmpq_mpoly_univar_t x, const fmpq_mpoly_ctx_t c), (x, c))

FLINT(void, fmpq_inv, (fmpq_t z, const fmpq_t x), (z, x))
FLINT(void, fmpz_mpoly_clear, (fmpz_mpoly_t x, const fmpz_mpoly_ctx_t c), (x, c))
FLINT(void, fmpz_mpoly_ctx_clear, (fmpz_mpoly_ctx_t c), (c))
FLINT(void, fmpz_mpoly_ctx_init, (fmpz_mpoly_ctx_t c, slong n, const ordering_t order), (c, n, order))
FLINT(void, fmpz_mpoly_gen, (fmpz_mpoly_t x, slong var, const fmpz_mpoly_ctx_t c), (x, var, c))
FLINT(int, fmpz_mpoly_is_fmpz, (const fmpz_mpoly_t x, const fmpz_mpoly_ctx_t c), (x, c))
FLINT(void, fmpz_mpoly_init, (fmpz_mpoly_t x, const fmpz_mpoly_ctx_t c), (x, c))
FLINT(void, fmpz_mpoly_set, (fmpz_mpoly_t z, const fmpz_mpoly_t x, const fmpz_mpoly_ctx_t c), (z, x, c))
FLINT(void, fmpz_mpoly_set_ui, (fmpz_mpoly_t z, ulong x, const fmpz_mpoly_ctx_t c), (z, x, c))
FLINT(slong, mpoly_degree_si, (const ulong *x, slong n, flint_bitcnt_t bits, slong var, const mpoly_ctx_t c),
      (x, n, bits, var, c))
