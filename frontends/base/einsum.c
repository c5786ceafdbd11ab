/* Einsum: see einsum.h.
 *
 * Operands are taken in from the left: a letter is summed as soon as neither the result nor a later operand has it, so
 * each step is a product of two tensors with shared, summed and own dimensions, a dot of the library.  A letter that
 * occurs twice in one operand (a diagonal) is not read. */
#include "frontends/base/einsum.h"

#include <string.h>

enum { EINSUM_MAX_RANK = 32, MOST = 128 /* letters in a list */ };

/* A tensor whose dimensions have letters. */
typedef struct Lettered {
  NodeId x;
  uint32_t n;
  char at[EINSUM_MAX_RANK];
} Lettered;

static const char *find(const Lettered *t, char c) { return memchr(t->at, c, t->n); }

/* Letters up to a comma, an arrow or the end; "..." stands for dimensions that are not named. */
static bool read_term(const char **at, Lettered *t, uint32_t rank) {
  uint32_t named = 0;
  const char *p = *at;
  t->n = 0;
  for (const char *q = p; *q && *q != ',' && *q != '-'; q++) named += *q != ' ' && *q != '.';
  if (named > rank) return false;
  for (; *p && *p != ',' && *p != '-'; p++) {
    if (*p == ' ') continue;
    if (!strncmp(p, "...", 3)) {
      for (uint32_t k = rank - named; k > 0; k--) t->at[t->n++] = (char)('0' + k); /* counted from the last one */
      p += 2;
      named = rank;
    } else if (((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z')) && t->n < EINSUM_MAX_RANK && !find(t, *p)) {
      t->at[t->n++] = *p;
    } else {
      return false;
    }
    if (t->n > rank) return false;
  }
  *at = p;
  return true;
}

/* x summed over the letters that are not in `keep`. */
static bool sum_others(Composer *c, Lettered *t, const char *keep) {
  int64_t dims[EINSUM_MAX_RANK];
  uint32_t n = 0, m = 0;
  for (uint32_t k = 0; k < t->n; k++) {
    if (strchr(keep, t->at[k])) t->at[m++] = t->at[k];
    else dims[n++] = k;
  }
  t->n = m;
  if (n) t->x = compose_reduce(c, "reduce_sum", compose_node(c, t->x)->dtype, t->x, dims, n, NULL, 0);
  return t->x != NO_NODE;
}

/* Letters of a list and of a tensor. */
static bool joined(const char *list, const Lettered *t, char *out) {
  size_t n = strlen(list);
  if (n + t->n >= MOST) return false;
  memcpy(out, list, n);
  memcpy(out + n, t->at, t->n);
  out[n + t->n] = 0;
  return true;
}

/* a times b, summed over the letters that both have and `keep` has not. */
static bool multiply(Composer *c, Lettered *a, Lettered *b, const char *keep) {
  int64_t batch[2][EINSUM_MAX_RANK], over[2][EINSUM_MAX_RANK], dims[COMPOSE_MAX_RANK];
  uint32_t n_batch = 0, n_over = 0;
  Lettered out = {.n = 0};
  char wanted[MOST];
  if (!joined(keep, b, wanted) || !sum_others(c, a, wanted) || !joined(keep, a, wanted) || !sum_others(c, b, wanted))
    return false;
  const Node x = *compose_node(c, a->x), y = *compose_node(c, b->x);
  for (uint32_t k = 0; k < a->n; k++) {
    const char *at = find(b, a->at[k]);
    if (!at) continue;
    if (x.dims[k] != y.dims[at - b->at]) return false;
    bool kept = strchr(keep, a->at[k]) != NULL;
    int64_t(*list)[EINSUM_MAX_RANK] = kept ? batch : over;
    uint32_t *n = kept ? &n_batch : &n_over;
    list[0][*n] = k;
    list[1][(*n)++] = at - b->at;
    if (kept) dims[out.n] = x.dims[k], out.at[out.n++] = a->at[k];
  }
  for (uint32_t k = 0; k < a->n; k++)
    if (!find(b, a->at[k])) dims[out.n] = x.dims[k], out.at[out.n++] = a->at[k];
  for (uint32_t k = 0; k < b->n; k++) {
    if (find(a, b->at[k])) continue;
    if (out.n == EINSUM_MAX_RANK) return false;
    dims[out.n] = y.dims[k], out.at[out.n++] = b->at[k];
  }
  Attr attrs[] = {attr_list("lhs_batch_dims", batch[0], n_batch), attr_list("rhs_batch_dims", batch[1], n_batch),
                  attr_list("lhs_contracting_dims", over[0], n_over),
                  attr_list("rhs_contracting_dims", over[1], n_over)};
  out.x = compose(c, "dot", x.dtype, out.n, dims, (NodeId[]){a->x, b->x}, 2, attrs, 4);
  *a = out;
  return out.x != NO_NODE;
}

/* Without an arrow: dimensions that are not named, then the letters that occur once, in alphabetical order. */
static void usual_result(const char *text, const Lettered *terms, uint32_t n, char *out) {
  uint32_t most = 0;
  for (uint32_t k = 0; k < n; k++)
    for (uint32_t d = 0; d < terms[k].n; d++)
      if (terms[k].at[d] <= '9' && (uint32_t)(terms[k].at[d] - '0') > most) most = (uint32_t)(terms[k].at[d] - '0');
  for (uint32_t d = most; d > 0; d--) *out++ = (char)('0' + d);
  for (char c = 'A'; c <= 'z'; c++) {
    const char *at = strchr(text, c);
    if (((c >= 'A' && c <= 'Z') || c >= 'a') && at && !strchr(at + 1, c)) *out++ = c;
  }
  *out = 0;
}

/* The letters that the result or an operand from k on has. */
static void still_needed(const char *result, const Lettered *terms, uint32_t k, uint32_t n, char *out) {
  size_t end = strlen(result);
  memcpy(out, result, end + 1);
  for (; k < n; k++)
    for (uint32_t d = 0; d < terms[k].n; d++)
      if (!strchr(out, terms[k].at[d])) out[end++] = terms[k].at[d], out[end] = 0;
}

NodeId einsum_compose(Composer *c, Arena *a, const char *text, const NodeId *in, uint32_t n) {
  const char *at = text;
  char result[MOST] = "", keep[MOST];
  if (!n || n > 16 || strlen(text) > 200) return NO_NODE;
  Lettered *terms = ARENA_ARRAY(a, Lettered, n), out;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t rank = in[k] == NO_NODE ? UINT32_MAX : compose_node(c, in[k])->rank;
    if (rank > 9 || !read_term(&at, &terms[k], rank) || terms[k].n != rank) return NO_NODE;
    terms[k].x = in[k];
    if (k + 1 < n && *at++ != ',') return NO_NODE;
  }
  if (*at && strncmp(at, "->", 2)) return NO_NODE;
  if (*at) {
    uint32_t rank = 0; /* of the result, if all operands have as many dimensions without a name */
    for (const char *p = at + 2; *p; p++) rank += *p != ' ' && *p != '.';
    for (uint32_t d = 0; strstr(at, "...") && d < terms[0].n; d++) rank += terms[0].at[d] <= '9';
    at += 2;
    if (rank > EINSUM_MAX_RANK || !read_term(&at, &out, rank) || *at || out.n != rank) return NO_NODE;
    memcpy(result, out.at, out.n);
  } else {
    usual_result(text, terms, n, result);
  }
  out = terms[0];
  for (uint32_t k = 1; k < n; k++) {
    still_needed(result, terms, k + 1, n, keep);
    if (!multiply(c, &out, &terms[k], keep)) return NO_NODE;
  }
  if (!sum_others(c, &out, result) || strlen(result) != out.n) return NO_NODE;
  int64_t perm[EINSUM_MAX_RANK];
  for (uint32_t d = 0; d < out.n; d++) {
    const char *from = find(&out, result[d]);
    if (!from) return NO_NODE;
    perm[d] = from - out.at;
  }
  return compose_transpose(c, out.x, perm);
}
