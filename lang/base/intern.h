/* Symbols: interned strings.  Equal text, equal Sym; ids are handed out in order of first use, from 1 (0 is no symbol).
 * The table is process-wide and only grows: a symbol means the same everywhere and for good. */
#ifndef TVR_BASE_INTERN_H
#define TVR_BASE_INTERN_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint32_t Sym;

Sym sym_n(const char *s, size_t len);
static inline Sym sym_of(const char *s) { return sym_n(s, strlen(s)); }
/* Of a literal, looked up once. */
#define sym_once(s) ({ static Sym sym_known; sym_known ? sym_known : (sym_known = sym_of(s)); })
#define sym(s) (__builtin_constant_p(s) ? sym_once(s) : sym_of(s))
/* Brings the place where a text would be into the cache, for a sym_n of it soon to come. */
void sym_prefetch(const char *s, size_t len);
/* Text of a symbol, NUL-terminated, valid for good; "" for 0. */
const char *sym_text(Sym s);
size_t sym_len(Sym s);
#endif
