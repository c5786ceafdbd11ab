/* Einsum: products summed over the letters that the result does not have.
 *
 * Operands are taken in from the left: a letter is summed as soon as neither the result nor a later operand has it, so
 * each step is a product of two tensors with shared, summed and own dimensions, a dot of the library.  A letter that
 * occurs twice in one operand (a diagonal) is not read. */
#include <string.h>

#include "frontends/onnx/lower.h"

enum { MOST = 128 }; /* letters in a list */

/* A tensor whose dimensions have letters. */
typedef struct Lettered {
  NodeId x;
  uint32_t n;
  char at[ONNX_MAX_RANK];
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
    } else if (((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z')) && t->n < ONNX_MAX_RANK && !find(t, *p)) {
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
static bool sum_others(OnnxLower *l, Lettered *t, const char *keep) {
  int64_t dims[ONNX_MAX_RANK];
  uint32_t n = 0, m = 0;
  for (uint32_t k = 0; k < t->n; k++) {
    if (strchr(keep, t->at[k])) t->at[m++] = t->at[k];
    else dims[n++] = k;
  }
  t->n = m;
  if (n) t->x = compose_reduce(&l->c, "reduce_sum", onnx_node(l, t->x)->dtype, t->x, dims, n, NULL, 0);
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
static bool multiply(OnnxLower *l, Lettered *a, Lettered *b, const char *keep) {
  int64_t batch[2][ONNX_MAX_RANK], over[2][ONNX_MAX_RANK], dims[COMPOSE_MAX_RANK];
  uint32_t n_batch = 0, n_over = 0;
  Lettered out = {.n = 0};
  char wanted[MOST];
  if (!joined(keep, b, wanted) || !sum_others(l, a, wanted) || !joined(keep, a, wanted) || !sum_others(l, b, wanted))
    return false;
  const Node x = *onnx_node(l, a->x), y = *onnx_node(l, b->x);
  for (uint32_t k = 0; k < a->n; k++) {
    const char *at = find(b, a->at[k]);
    if (!at) continue;
    if (x.dims[k] != y.dims[at - b->at]) return false;
    bool kept = strchr(keep, a->at[k]) != NULL;
    int64_t(*list)[ONNX_MAX_RANK] = kept ? batch : over;
    uint32_t *n = kept ? &n_batch : &n_over;
    list[0][*n] = k;
    list[1][(*n)++] = at - b->at;
    if (kept) dims[out.n] = x.dims[k], out.at[out.n++] = a->at[k];
  }
  for (uint32_t k = 0; k < a->n; k++)
    if (!find(b, a->at[k])) dims[out.n] = x.dims[k], out.at[out.n++] = a->at[k];
  for (uint32_t k = 0; k < b->n; k++) {
    if (find(a, b->at[k])) continue;
    if (out.n == ONNX_MAX_RANK) return false;
    dims[out.n] = y.dims[k], out.at[out.n++] = b->at[k];
  }
  Attr attrs[] = {attr_list("lhs_batch_dims", batch[0], n_batch), attr_list("rhs_batch_dims", batch[1], n_batch),
                  attr_list("lhs_contracting_dims", over[0], n_over),
                  attr_list("rhs_contracting_dims", over[1], n_over)};
  out.x = compose(&l->c, "dot", x.dtype, out.n, dims, (NodeId[]){a->x, b->x}, 2, attrs, 4);
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

/* equation */
OnnxResult onnx_einsum(OnnxLower *l) {
  const char *text, *at;
  char result[MOST] = "", keep[MOST];
  uint32_t n = l->n_in;
  if (n > 16 || !onnx_attr_word(l, 0, "", &text) || strlen(text) > 200 || l->n_out != 1) return ONNX_OPAQUE;
  Lettered *terms = ARENA_ARRAY(&l->arena, Lettered, n), out;
  at = text;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t rank = onnx_node(l, l->in[k])->rank;
    if (rank > 9 || !read_term(&at, &terms[k], rank) || terms[k].n != rank) return ONNX_OPAQUE;
    terms[k].x = l->in[k];
    if (k + 1 < n && *at++ != ',') return ONNX_OPAQUE;
  }
  if (*at && strncmp(at, "->", 2)) return ONNX_OPAQUE;
  if (*at) {
    uint32_t rank = 0; /* of the result, if all operands have as many dimensions without a name */
    for (const char *p = at + 2; *p; p++) rank += *p != ' ' && *p != '.';
    for (uint32_t d = 0; strstr(at, "...") && d < terms[0].n; d++) rank += terms[0].at[d] <= '9';
    at += 2;
    if (rank > ONNX_MAX_RANK || !read_term(&at, &out, rank) || *at || out.n != rank) return ONNX_OPAQUE;
    memcpy(result, out.at, out.n);
  } else {
    usual_result(text, terms, n, result);
  }
  out = terms[0];
  for (uint32_t k = 1; k < n; k++) {
    still_needed(result, terms, k + 1, n, keep);
    if (!multiply(l, &out, &terms[k], keep)) return ONNX_OPAQUE;
  }
  if (!sum_others(l, &out, result) || strlen(result) != out.n) return ONNX_OPAQUE;
  int64_t perm[ONNX_MAX_RANK];
  for (uint32_t d = 0; d < out.n; d++) {
    const char *from = find(&out, result[d]);
    if (!from) return ONNX_OPAQUE;
    perm[d] = from - out.at;
  }
  return onnx_done(l, compose_transpose(&l->c, out.x, perm));
}
