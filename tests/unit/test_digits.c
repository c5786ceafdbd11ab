/* Digit inference on small programs: which digits dimensions, variables and mesh axes end up with. */
#include "eval/digits/digits.h"

#include "tests/unit/handmade.h"

/* A sequential and a distributed program, their relation, and what is inferred. */
typedef struct Case {
  Hand *h[SIDE_COUNT];
  Relation rel;
  Axis axes[4];
  int64_t order[64];
  Vec(Related) inputs;
  Vec(Related) outputs;
  DimAt flat[4];
  size_t n_flat;
  Problem p;
  Digits *d;
} Case;

static Case *case_new(uint32_t n_axes, const int64_t *sizes, const int64_t *order) {
  Case *c = xcalloc(1, sizeof *c);
  c->rel.mesh = (Mesh){n_axes, c->axes, 1, c->order};
  for (uint32_t a = 0; a < n_axes; a++) c->axes[a] = (Axis){0, sizes[a]}, c->rel.mesh.n_devices *= sizes[a];
  for (int64_t i = 0; i < c->rel.mesh.n_devices; i++) c->order[i] = order ? order[i] : i;
  c->h[SIDE_SEQ] = hand_new(1);
  c->h[SIDE_DIST] = hand_new(c->rel.mesh.n_devices);
  return c;
}

static void infer(Case *c) {
  c->rel.inputs = c->inputs.at;
  c->rel.n_inputs = (uint32_t)c->inputs.len;
  c->rel.outputs = c->outputs.at;
  c->rel.n_outputs = (uint32_t)c->outputs.len;
  c->p = (Problem){.relation = &c->rel, .flat = c->flat, .n_flat = c->n_flat};
  for (Side s = 0; s < SIDE_COUNT; s++) {
    c->p.graph[s] = c->h[s]->g;
    c->p.instance[s] = c->h[s]->in.at;
    if (!c->p.coord[s])
      c->p.coord[s] = coord_new_from(c->h[s]->g, hand_source, c->h[s], s == SIDE_SEQ ? 1 : c->rel.mesh.n_devices);
  }
  c->d = digits_infer(&c->p, DIGITS_JOINED);
}

static void case_free(Case *c) {
  digits_free(c->d);
  for (Side s = 0; s < SIDE_COUNT; s++) {
    coord_free(c->p.coord[s]);
    hand_free(c->h[s]);
  }
  vec_free(&c->inputs);
  vec_free(&c->outputs);
  free(c);
}

/* "0; 1,2": axes of each dimension. */
static Layout layout(Case *c, const char *text) {
  Layout l = {.dims = arena_alloc(&c->h[0]->arena, 8 * sizeof *l.dims)};
  for (;; text++) {
    struct LayoutDim *d = &l.dims[l.rank];
    if (!d->axes) d->axes = ARENA_ARRAY(&c->h[0]->arena, uint32_t, 4);
    if (*text >= '0' && *text <= '9') d->axes[d->n++] = (uint32_t)(*text - '0');
    if (*text == ';' || !*text) l.rank++;
    if (!*text) return l;
  }
}

/* A parameter of both programs; the distributed one is cut as the layout says (rounding up). */
static void input(Case *c, const char *axes, Dims d, NodeId *s, NodeId *t) {
  Related r = {.seq = (int64_t)c->inputs.len, .dist = (int64_t)c->inputs.len, .layout = layout(c, axes)};
  *s = parameter(c->h[SIDE_SEQ], DT_F32, d);
  for (uint32_t i = 0; i < d.rank; i++)
    for (uint32_t k = 0; k < r.layout.dims[i].n; k++) {
      int64_t n = c->axes[r.layout.dims[i].axes[k]].size;
      d.at[i] = (d.at[i] + n - 1) / n;
    }
  *t = parameter(c->h[SIDE_DIST], DT_F32, d);
  vec_push(&c->inputs, r);
}

static void output(Case *c, const char *axes, NodeId s, NodeId t) {
  Related r = {.seq = (int64_t)c->outputs.len, .dist = (int64_t)c->outputs.len, .layout = layout(c, axes)};
  vec_push(&c->h[SIDE_SEQ]->g->outputs, (GraphOutput){s, 0});
  vec_push(&c->h[SIDE_DIST]->g->outputs, (GraphOutput){t, 0});
  vec_push(&c->outputs, r);
}

static bool sizes_are(DigitList l, const char *want) {
  char b[200] = "";
  size_t at = 0;
  for (uint32_t i = 0; i < l.n; i++)
    at += (size_t)snprintf(b + at, sizeof b - at, "%s%lld", i ? " " : "", (long long)l.size[i]);
  if (l.flat) snprintf(b + at, sizeof b - at, "!");
  if (!strcmp(b, want)) return true;
  printf("have '%s', want '%s'\n", b, want);
  return false;
}
#define SEQ(node, dim, text) CHECK(sizes_are(digits_dim(c->d, SIDE_SEQ, node, dim), text))
#define DIST(node, dim, text) CHECK(sizes_are(digits_dim(c->d, SIDE_DIST, node, dim), text))
static uint32_t sort_of(const Case *c, Side side, NodeId node, uint32_t dim, uint32_t digit) {
  return digits_dim(c->d, side, node, dim).sort[digit];
}

static void head_split(void) { /* [B, H*D] as [B, H, D] on tp 2: heads are cut as well */
  Case *c = case_new(1, (int64_t[]){2}, NULL);
  Hand *s = c->h[SIDE_SEQ], *t = c->h[SIDE_DIST];
  NodeId x, y, w, u;
  input(c, ";", DIMS(3, 6), &x, &y);
  input(c, ";0", DIMS(6, 32), &w, &u);
  NodeId q = matmul(s, x, w), heads = reshape(s, q, DIMS(3, 4, 1, 8));
  NodeId lq = matmul(t, y, u), local = reshape(t, lq, DIMS(3, 2, 8));
  output(c, ";0;;", heads, reshape(t, local, DIMS(3, 2, 1, 8)));
  infer(c);
  SEQ(w, 1, "2 2 8");
  SEQ(heads, 1, "2 2");
  SEQ(heads, 2, "");
  SEQ(heads, 3, "8");
  DIST(lq, 1, "2 8");
  DIST(local, 1, "2");
  SEQ(q, 0, "3");
  CHECK(sizes_are(digits_var(c->d, SIDE_SEQ, q, 2), "6"));
  CHECK(sort_of(c, SIDE_SEQ, w, 1, 0) == digits_mesh_sort(c->d, 0));
  CHECK(sort_of(c, SIDE_SEQ, w, 1, 1) == sort_of(c, SIDE_DIST, local, 1, 0));
  CHECK(sort_of(c, SIDE_SEQ, w, 1, 0) != sort_of(c, SIDE_SEQ, w, 1, 1));
  CHECK(digits_stats(c->d).n_refused == 0 && meshdigits_count(digits_mesh(c->d)) == 1);
  case_free(c);
}

static void slices(void) { /* thirds of a fused projection, every second element, parts joined again */
  Case *c = case_new(1, (int64_t[]){2}, NULL);
  Hand *s = c->h[SIDE_SEQ];
  NodeId x, y;
  input(c, "", DIMS(24), &x, &y);
  NodeId q = slice(s, x, 0, 8, 8, 1), odd = slice(s, q, 0, 1, 4, 2), joined = concatenate(s, 0, 2, (NodeId[]){q, q});
  NodeId off = slice(s, x, 0, 4, 12, 1);
  infer(c);
  SEQ(x, 0, "3 4 2");
  SEQ(q, 0, "4 2");
  SEQ(odd, 0, "4");
  SEQ(joined, 0, "2 4 2");
  SEQ(off, 0, "12");
  CHECK(sort_of(c, SIDE_SEQ, x, 0, 1) == sort_of(c, SIDE_SEQ, odd, 0, 0));
  CHECK(sort_of(c, SIDE_SEQ, x, 0, 0) != sort_of(c, SIDE_SEQ, joined, 0, 0));
  CHECK(digits_stats(c->d).n_refused == 0);
  case_free(c);
}

static void halves_and_thirds(void) { /* 12 does not fit beside 8: refused, and thirds stay */
  Case *c = case_new(1, (int64_t[]){2}, NULL);
  Hand *s = c->h[SIDE_SEQ];
  NodeId x, y;
  input(c, "", DIMS(24), &x, &y);
  slice(s, x, 0, 8, 8, 1);
  NodeId half = slice(s, x, 0, 0, 12, 1);
  infer(c);
  SEQ(x, 0, "3 8");
  SEQ(half, 0, "12");
  CHECK(digits_stats(c->d).n_refused > 0);
  case_free(c);
}

static void relation_3d(void) { /* dp 2 x tp 4 x sp 3, rows cut by two of them */
  Case *c = case_new(3, (int64_t[]){2, 4, 3}, NULL);
  Hand *s = c->h[SIDE_SEQ], *t = c->h[SIDE_DIST];
  NodeId x, y;
  input(c, "02;1", DIMS(30, 8), &x, &y);
  int64_t members[24];
  for (int i = 0; i < 24; i++) members[i] = i / 12 * 12 + i % 4 * 3 + i / 4 % 3;
  const Attr *g = grouping(t, 4, 24, members);
  NodeId whole = all_gather(t, y, 1, g), cut = reduce_scatter(t, whole, 1, g);
  output(c, "02;1", ADD(s, x, x), cut);
  infer(c);
  SEQ(x, 0, "2 3 5");
  DIST(y, 0, "5");
  SEQ(x, 1, "4 2");
  DIST(whole, 1, "4 2");
  DIST(cut, 1, "2");
  MeshList l;
  CHECK(digits_position(c->d, whole, &l) && l.n == 1 && meshdigits_get(digits_mesh(c->d), l.digit[0])->axis == 1);
  CHECK(sizes_are(digits_var(c->d, SIDE_DIST, whole, 2), "4"));
  CHECK(sizes_are(digits_var(c->d, SIDE_DIST, cut, 3), "4"));
  CHECK(digits_var(c->d, SIDE_DIST, cut, 3).sort[0] == digits_mesh_sort(c->d, l.digit[0]));
  CHECK(sort_of(c, SIDE_DIST, whole, 1, 0) == digits_mesh_sort(c->d, l.digit[0]));
  CHECK(!digits_position(c->d, y, &l));
  case_free(c);
}

static void replicated_kv(void) { /* 2 heads on tp 4: device r takes head r / 2, so tp is 2 x 2 */
  Case *c = case_new(1, (int64_t[]){4}, NULL);
  Hand *t = c->h[SIDE_DIST];
  NodeId x, y;
  input(c, "", DIMS(16), &x, &y);
  NodeId d = device_number(t), half = APPLY(t, X_FN, "truncdiv", DT_S32, d, integer(t, 2));
  NodeId start = APPLY(t, X_MUL, NULL, DT_S32, half, integer(t, 8)), head = dynamic_slice(t, y, start, 0, 8);
  NodeId quarter = dynamic_slice(t, y, APPLY(t, X_MUL, NULL, DT_S32, d, integer(t, 2)), 0, 2);
  infer(c);
  SEQ(x, 0, "2 2 2 2"); /* head, then eighths of what device r takes */
  DIST(head, 0, "2 2 2");
  DIST(quarter, 0, "2");
  CHECK(meshdigits_count(digits_mesh(c->d)) == 2);
  CHECK(sort_of(c, SIDE_SEQ, x, 0, 0) == digits_mesh_sort(c->d, 0));
  Arena a = {0};
  MeshForm f;
  CHECK(meshdigits_refit(digits_mesh(c->d), coord_value(c->p.coord[SIDE_DIST], start), &a, &f));
  CHECK(f.weight[0] == 8 && f.weight[1] == 0);
  arena_free(&a);
  case_free(c);
}

static void permuted_devices(void) { /* the same position in another device order */
  int64_t order[8];
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 4; b++) order[a * 4 + b] = b * 2 + a;
  Case *c = case_new(2, (int64_t[]){2, 4}, order);
  Hand *t = c->h[SIDE_DIST];
  NodeId x, y;
  input(c, "1", DIMS(16), &x, &y);
  NodeId g = all_gather(t, y, 0, grouping(t, 4, 8, (int64_t[]){0, 2, 4, 6, 1, 3, 5, 7}));
  NodeId sub = all_gather(t, y, 0, grouping(t, 2, 8, (int64_t[]){0, 2, 4, 6, 1, 3, 5, 7}));
  NodeId odd = all_gather(t, y, 0, grouping(t, 2, 8, (int64_t[]){0, 6, 2, 4, 1, 3, 5, 7}));
  infer(c);
  MeshList l;
  CHECK(digits_position(c->d, g, &l) && l.n == 2);
  CHECK(digits_position(c->d, sub, &l) && l.n == 1 && l.digit[0] == 2);
  CHECK(!digits_position(c->d, odd, &l));
  SEQ(x, 0, "2 2 4");
  DIST(g, 0, "2 2 4");
  DIST(sub, 0, "2 4");
  DIST(odd, 0, "2 4"); /* two halves, of no known device */
  CHECK(sort_of(c, SIDE_DIST, sub, 0, 0) == digits_mesh_sort(c->d, 2));
  CHECK(sort_of(c, SIDE_DIST, odd, 0, 0) != digits_mesh_sort(c->d, 2));
  case_free(c);
}

static void mesh_cut_by_dimension(void) { /* tp 4 over a dimension that is 2 x 2 heads: the axis is cut */
  Case *c = case_new(2, (int64_t[]){2, 4}, NULL);
  NodeId x, y;
  input(c, "1", DIMS(4), &x, &y);
  NodeId r = reshape(c->h[SIDE_SEQ], x, DIMS(2, 2));
  infer(c);
  SEQ(x, 0, "2 2");
  SEQ(r, 1, "2");
  CHECK(meshdigits_count(digits_mesh(c->d)) == 3);
  uint32_t first;
  CHECK(meshdigits_axis(digits_mesh(c->d), 1, &first) == 2 && first == 1);
  CHECK(digits_mesh_sort(c->d, 2) == sort_of(c, SIDE_SEQ, r, 1, 0));
  case_free(c);
}

static void conflicts(void) { /* 6 as 2 x 3 and as 3 x 2: the second is refused, the reshape has no common digits */
  Case *c = case_new(1, (int64_t[]){2}, NULL);
  NodeId x, y;
  input(c, "", DIMS(6), &x, &y);
  Hand *s = c->h[SIDE_SEQ];
  NodeId a = reshape(s, x, DIMS(2, 3)), b = reshape(s, x, DIMS(3, 2));
  infer(c);
  SEQ(x, 0, "2 3");
  SEQ(a, 0, "2");
  SEQ(b, 0, "3");
  SEQ(b, 1, "2");
  CHECK(digits_stats(c->d).n_refused > 0);
  case_free(c);
}

static void uneven_blocks(void) { /* 11 rows on 4 devices: no digits; flat together */
  for (int flat = 0; flat < 2; flat++) {
    Case *c = case_new(1, (int64_t[]){4}, NULL);
    Hand *t = c->h[SIDE_DIST];
    NodeId x, y;
    input(c, "0;0", DIMS(11, 8), &x, &y);
    NodeId z = slice(t, y, 0, 1, 2, 1), w = slice(t, y, 1, 0, 1, 1);
    if (flat) c->flat[c->n_flat++] = (DimAt){SIDE_DIST, 0, z};
    infer(c);
    SEQ(x, 0, flat ? "11!" : "11");
    DIST(y, 0, flat ? "3!" : "3");
    DIST(z, 0, flat ? "2!" : "2");
    SEQ(x, 1, "4 2");
    DIST(y, 1, "2");
    DIST(w, 1, "");
    case_free(c);
  }
}

static void flat_erases_cuts(void) { /* what others would cut stays one digit where a neighbour is flat */
  Case *c = case_new(1, (int64_t[]){2}, NULL);
  Hand *s = c->h[SIDE_SEQ], *t = c->h[SIDE_DIST];
  NodeId x, y;
  input(c, "0", DIMS(12), &x, &y);
  NodeId odd = slice(s, x, 0, 1, 7, 1), r = reshape(s, x, DIMS(4, 3));
  NodeId whole = all_gather(t, y, 0, grouping(t, 2, 2, (int64_t[]){0, 1}));
  c->flat[c->n_flat++] = (DimAt){SIDE_SEQ, 0, odd};
  infer(c);
  SEQ(x, 0, "12!");
  SEQ(r, 0, "4");
  DIST(y, 0, "6!");
  DIST(whole, 0, "12!");
  CHECK(meshdigits_count(digits_mesh(c->d)) == 1);
  case_free(c);
}

static void opaque_batch(void) { /* an unknown operator: only its batch dimensions are its operand's */
  Case *c = case_new(1, (int64_t[]){2}, NULL);
  Hand *s = c->h[SIDE_SEQ];
  NodeId x, y;
  input(c, "0;", DIMS(8, 8), &x, &y);
  begin(s, DIMS(8, 8));
  NodeId sorted = end(s, "sort", DT_F32, DIMS(8, 8), 1, &x, NULL, NO_X);
  const int32_t at[2] = {0, 1}, *args[1] = {at};
  const bool batch[2] = {true, false};
  Instance in = *s->in.at[sorted];
  in.opaque = true;
  in.batch = batch;
  in.batch_arg = args;
  s->in.at[sorted] = &in;
  reshape(s, x, DIMS(8, 2, 4));
  infer(c);
  SEQ(sorted, 0, "2 4");
  SEQ(sorted, 1, "8");
  case_free(c);
}

/* A residual stack of n layers: heads split and joined, gathered and scattered on the distributed side. */
static void large(int n) {
  Case *c = case_new(1, (int64_t[]){4}, NULL);
  Hand *s = c->h[SIDE_SEQ], *t = c->h[SIDE_DIST];
  NodeId x, y, w, u, v, o;
  input(c, "0;", DIMS(64, 256), &x, &y);
  const Attr *g = grouping(t, 4, 4, (int64_t[]){0, 1, 2, 3});
  for (int i = 0; i < n; i++) {
    input(c, ";0", DIMS(256, 256), &w, &u);
    input(c, "0;", DIMS(256, 256), &v, &o);
    NodeId a = matmul(s, x, w), b = matmul(t, all_gather(t, y, 0, g), u);
    for (int k = 0; k < 20; k++) {
      a = reshape(s, reshape(s, ADD(s, a, a), DIMS(64, 8, 32)), DIMS(64, 256));
      b = reshape(t, reshape(t, ADD(t, b, b), DIMS(64, 2, 32)), DIMS(64, 64));
    }
    x = ADD(s, x, matmul(s, a, v));
    y = ADD(t, y, reduce_scatter(t, matmul(t, b, o), 0, g));
  }
  infer(c);
  SEQ(x, 0, "4 16");
  SEQ(w, 1, "4 2 32");
  DigitStats st = digits_stats(c->d);
  CHECK(st.n_refused == 0 && st.n_steps < 4 * st.n_equations);
  case_free(c);
}

int main(void) {
  head_split();
  slices();
  halves_and_thirds();
  relation_3d();
  replicated_kv();
  permuted_devices();
  mesh_cut_by_dimension();
  conflicts();
  uneven_blocks();
  flat_erases_cuts();
  opaque_batch();
  large(20);
  return failures != 0;
}
