#include "eval/program/command.h"
#include "lang/nearest.h"

static bool is_option(const Sexp *x) { return x->kind == SEXP_SYMBOL && *sym_text(x->sym) == ':'; }

uint32_t options_start(const Sexp *x, uint32_t from) {
  while (from < x->n && !is_option(&x->item[from])) from++;
  return from;
}

/* An entry of `known` is a name and a digit: the number of values, or `*` for any. */
static const char *known_option(const char *const *known, const char *name) {
  for (; *known; known++) {
    size_t n = strlen(*known) - 1;
    if (strlen(name) == n && !memcmp(*known, name, n)) return *known + n;
  }
  return NULL;
}

/* The option meant, or all that are known. */
static void hint_known(Program *e, const char *const *known, const char *name) {
  Nearest nearest = {.word = name, .len = strlen(name)};
  char all[200] = "";
  size_t len = 0;
  for (; *known && len < sizeof all - 40; known++) {
    if (!strncmp(*known, ":internal", 9)) continue;
    char *one = arena_strdup(&e->scratch, *known, strlen(*known) - 1);
    nearest_try(&nearest, one);
    len += (size_t)snprintf(all + len, sizeof all - len, "%s%.30s", len ? " " : "", one);
  }
  if (nearest.best) diag_hint(e->diags, "did you mean `%s`?", nearest.best);
  else if (len) diag_hint(e->diags, "known here: %s", all);
}

bool options_read(Program *e, const Sexp *x, uint32_t from, const char *const *known, Options *out) {
  out->n = 0;
  for (uint32_t i = from; i < x->n;) {
    const Sexp *o = &x->item[i];
    if (!is_option(o)) return diag_error(e->diags, o->at, E_SYNTAX, "an option like `:name` is expected here");
    const char *arity = known_option(known, sym_text(o->sym));
    if (!arity || out->n == sizeof out->at / sizeof *out->at) {
      diag_error(e->diags, o->at, E_SYNTAX, "unknown option `%s`", sym_text(o->sym));
      hint_known(e, known, sym_text(o->sym));
      return false;
    }
    uint32_t end = options_start(x, i + 1), n = end - i - 1;
    if (*arity != '*' && n != (uint32_t)(*arity - '0'))
      return diag_error(e->diags, o->at, E_SYNTAX, "`%s` takes %c value%s", sym_text(o->sym), *arity,
                        *arity == '1' ? "" : "s");
    if (option_find(out, sym_text(o->sym)))
      return diag_error(e->diags, o->at, E_SYNTAX, "`%s` is given twice", sym_text(o->sym));
    out->at[out->n++] = (Option){o->sym, o, n ? &x->item[i + 1] : o, n};
    i = end;
  }
  return true;
}

const Option *option_find(const Options *o, const char *name) {
  for (uint32_t i = 0; i < o->n; i++)
    if (!strcmp(sym_text(o->at[i].name), name)) return &o->at[i];
  return NULL;
}

bool option_uint(Program *e, const Sexp *x, uint64_t *out) {
  if (x->kind != SEXP_INT || x->i < 0)
    return diag_error(e->diags, x->at, E_SYNTAX, "a non-negative integer is expected here");
  *out = (uint64_t)x->i;
  return true;
}
