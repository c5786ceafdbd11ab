/* A definition laid against the shapes and attributes of one node. */
#include "certify/walk.h"

const Size *lay_size(const Mean *m, Sym name) {
  for (uint32_t i = 0; i < m->n_sizes; i++)
    if (m->sizes[i].name == name) return &m->sizes[i];
  return NULL;
}

uint32_t lay_param(const Mean *m, Sym name) {
  uint32_t p = 0;
  while (p < m->op->n_params && m->op->params[p].name != name) p++;
  return p;
}

bool lay_attr(const Mean *m, Sym name, Attr *out) {
  const Attr *a = node_attr(m->node, name);
  if (a) return *out = *a, true;
  for (uint32_t i = 0; i < m->op->n_attrs; i++) { /* the declared default */
    const AstExpr *e = m->op->attrs[i].init;
    if (m->op->attrs[i].name != name || !e) continue;
    bool minus = e->kind == EX_NEG;
    if (minus) e = e->args[0];
    *out = (Attr){.name = name, .kind = ATTR_SYM, .s = e->name};
    if (e->kind == EX_RAT) {
      out->r = minus ? rat_neg(e->value) : e->value;
      out->kind = rat_to_int(out->r, &out->i) ? ATTR_INT : ATTR_RAT;
    }
    return e->kind == EX_RAT || e->kind == EX_NAME || e->kind == EX_STRING;
  }
  return false;
}

static const Node *arg_of(const Mean *m, uint32_t i) { return walk_node(m->w, m->side, m->node->args[i]); }

static bool is_group(const AstPattern *p) { return p->n == 1 && p->digit[0].form == FORM_GROUP; }

static bool listed(const Mean *m, Sym at, Attr *a, const int64_t **ints, uint32_t *n) {
  *n = 0;
  if (!lay_attr(m, at, a)) return true;
  *n = a->kind == ATTR_INT ? 1 : a->n;
  *ints = a->kind == ATTR_INT ? &a->i : a->ints;
  return a->kind == ATTR_INT || a->kind == ATTR_INTS;
}

/* Dimensions of a bracket: placed patterns first, the others in order; one group of unknown length takes what is left.
 * false with *later: another bracket must say how long a group is. */
static bool place(Mean *m, Bracket *b, const AstPattern *patterns, uint32_t n, uint32_t rank, bool *later) {
  Store *s = m->w->p->s;
  *b = (Bracket){patterns, n, SCRATCH(s, uint32_t, n + 1), SCRATCH(s, uint32_t, rank + 1)};
  bool *taken = SCRATCH(s, bool, rank + 1);
  uint32_t *count = SCRATCH(s, uint32_t, n + 1), used = 0, open = n, k;
  const int64_t *ints = NULL;
  Attr a;
  for (uint32_t p = 0; p < n; p++) {
    count[p] = 1;
    if (patterns[p].at) {
      if (!listed(m, patterns[p].at, &a, &ints, &count[p]) || (!is_group(&patterns[p]) && count[p] != 1)) return false;
    } else if (is_group(&patterns[p])) {
      const Size *z = lay_size(m, patterns[p].digit[0].name);
      if (!z && open < n) return *later = true, false;
      if (!z) open = p;
      count[p] = z ? z->n : 0;
    }
    used += count[p];
  }
  if (used > rank || (used < rank && open == n)) return false;
  if (open < n) count[open] = rank - used;
  for (uint32_t p = 0; p < n; p++) {
    b->start[p + 1] = b->start[p] + count[p];
    if (!patterns[p].at) continue;
    if (!listed(m, patterns[p].at, &a, &ints, &k)) return false;
    for (uint32_t i = 0; i < k; i++) {
      if (ints[i] < 0 || ints[i] >= rank || taken[ints[i]]) return false;
      taken[ints[i]] = true;
      b->dim[b->start[p] + i] = (uint32_t)ints[i];
    }
  }
  for (uint32_t p = 0, d = 0; p < n; p++)
    for (uint32_t i = 0; !patterns[p].at && i < count[p]; i++) {
      while (taken[d]) d++;
      taken[d] = true;
      b->dim[b->start[p] + i] = d;
    }
  return true;
}

static bool mentions(const AstPattern *p, uint32_t n, Sym name) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t d = 0; d < p[i].n; d++)
      if (p[i].digit[d].name == name) return true;
  return false;
}

static bool declare(Mean *m, const Bracket *b, bool variadic) {
  for (uint32_t p = 0; p < b->n; p++)
    for (uint32_t d = 0; d < b->patterns[p].n; d++) {
      const AstIndex *i = &b->patterns[p].digit[d];
      bool group = i->form == FORM_GROUP,
           each = variadic && !group && !mentions(m->result->dims, m->result->n_dims, i->name);
      for (uint32_t q = 0; q < m->op->n_params && each; q++)
        each = q == m->variadic || !mentions(m->op->params[q].dims, m->op->params[q].n_dims, i->name);
      uint32_t n = group ? b->start[p + 1] - b->start[p] : each ? m->n_each : 1;
      const Size *z = lay_size(m, i->name);
      if (z && (z->group != group || z->n != n)) return false;
      if (z) continue;
      int64_t *size = SCRATCH(m->w->p->s, int64_t, n + 1);
      for (uint32_t k = 0; k < n; k++) size[k] = -1;
      m->sizes[m->n_sizes++] = (Size){i->name, group, each, n, size};
    }
  return true;
}

static bool bracket(Mean *m, uint32_t p, bool *later) {
  if (p == m->op->n_params)
    return place(m, &m->out, m->result->dims, m->result->n_dims, m->node->rank, later) && declare(m, &m->out, false);
  const AstParam *q = &m->op->params[p];
  bool none = p == m->variadic && !m->n_each;
  for (uint32_t k = 1; p == m->variadic && k < m->n_each; k++)
    if (arg_of(m, p + k)->rank != arg_of(m, p)->rank) return false;
  return place(m, &m->param[p], q->dims, q->n_dims, none ? q->n_dims : arg_of(m, p)->rank, later) &&
         (none || declare(m, &m->param[p], p == m->variadic));
}

/* Positions before the `;` of a read have the size of the replica group. */
static void positions(Mean *m, const AstExpr *e) {
  for (uint32_t i = 0; i < e->n_devices; i++) {
    const Size *z = e->devices[i]->kind == EX_NAME ? lay_size(m, e->devices[i]->name) : NULL;
    if (z && !z->group) z->size[0] = m->members;
  }
  for (uint32_t i = 0; i < e->n_args; i++) positions(m, e->args[i]);
}

static int64_t declared(const Mean *m, const AstIndex *i) {
  Attr a;
  int64_t v;
  if (!i->size) return -1;
  if (i->size->kind == EX_RAT && rat_to_int(i->size->value, &v)) return v;
  if (i->size->kind != EX_NAME) return -1;
  if (i->size->name == m->op->over) return m->members;
  return lay_attr(m, i->size->name, &a) && a.kind == ATTR_INT ? a.i : -1;
}

/* The sizes of the digits of one dimension: at most one follows from the others. */
static bool relate(Mean *m, const Bracket *b, const int64_t *dims, uint32_t each, bool *again) {
  for (uint32_t p = 0; p < b->n; p++)
    for (uint32_t k = b->start[p]; k < b->start[p + 1]; k++) {
      int64_t known = 1, *unknown = NULL, size = dims[b->dim[k]];
      bool open = false;
      for (uint32_t d = 0; d < b->patterns[p].n; d++) {
        const Size *z = lay_size(m, b->patterns[p].digit[d].name);
        int64_t *x = &z->size[z->group  ? k - b->start[p]
                              : z->each ? each
                                        : 0],
                v = declared(m, &b->patterns[p].digit[d]);
        if (v >= 0 && *x < 0) *x = v, *again = true;
        if (v >= 0 && *x != v) return false;
        open |= *x < 0 && unknown;
        if (*x < 0) unknown = x;
        else if (__builtin_mul_overflow(known, *x, &known)) return false;
      }
      if (open) continue;
      if (!unknown && known != size) return false;
      if (unknown && (!known || size % known)) return false;
      if (unknown) *unknown = size / known, *again = true;
    }
  return true;
}

static bool sizes(Mean *m) {
  for (bool again = true; again;) {
    again = false;
    for (uint32_t p = 0; p < m->op->n_params; p++)
      for (uint32_t k = 0; k < (p == m->variadic ? m->n_each : 1); k++)
        if (!relate(m, &m->param[p], arg_of(m, p + k)->dims, k, &again)) return false;
    if (!relate(m, &m->out, m->node->dims, 0, &again)) return false;
  }
  for (uint32_t i = 0; i < m->n_sizes; i++)
    for (uint32_t k = 0; k < m->sizes[i].n; k++)
      if (m->sizes[i].size[k] < 0) return false;
  return true;
}

/* Nothing but which devices a group has matters: its size is that of an index which stands only where they are read. */
bool lay_in_any_order(const AstExpr *e, Sym over, Sym member) {
  bool ok = e->name != over && (!member || e->name != member);
  for (uint32_t i = 0; i < e->n_binders; i++) {
    const AstExpr *size = e->binders[i].size;
    bool members = size && size->kind == EX_NAME && size->name == over;
    ok = ok && (!members || !member) && (!size || members || lay_in_any_order(size, over, member));
    if (members) member = e->binders[i].name;
  }
  for (uint32_t i = 0; i < e->n_devices; i++) ok = ok && e->devices[i]->kind == EX_NAME && e->devices[i]->name == member;
  for (uint32_t i = 0; i < e->n_args && ok; i++) ok = lay_in_any_order(e->args[i], over, member);
  return ok;
}

static bool stands_before(const Walk *w, int64_t x, int64_t y) {
  uint32_t i = 0;
  while (i < w->n_mesh && w->digit[x * w->n_mesh + i] == w->digit[y * w->n_mesh + i]) i++;
  return i < w->n_mesh && w->digit[x * w->n_mesh + i] < w->digit[y * w->n_mesh + i];
}

/* The replica groups as digits of the mesh: the device at position p of every group has the digits of p. */
static bool replica_group(Mean *m) {
  Walk *w = m->w;
  const Attr *a = node_attr(m->node, sym("replica_groups"));
  int64_t n = w->problem->relation->mesh.n_devices, stride = 1;
  if (!m->op->over) return true;
  if (!a || a->kind != ATTR_GROUPS || a->i < 1 || a->n != n || a->n % a->i) return false; /* each stands in one */
  m->members = a->i;
  uint32_t *digit = SCRATCH(w->p->s, uint32_t, w->n_mesh), k = 0;
  for (uint32_t i = 0; i < a->n; i++)
    if (a->ints[i] < 0 || a->ints[i] >= n) return false;
  int64_t *device = arena_copy(&w->p->s->scratch, a->ints, a->n * sizeof *device);
  bool sorted = m->result->body && lay_in_any_order(m->result->body, m->op->over, 0);
  for (uint32_t i = 0; i < a->n && sorted; i++)
    for (uint32_t j = i; j % a->i && stands_before(w, device[j], device[j - 1]); j--) {
      int64_t d = device[j];
      device[j] = device[j - 1];
      device[j - 1] = d;
    }
  while (stride < a->i) { /* the digit in which position `stride` differs from position 0 */
    uint32_t i = 0;
    while (i < w->n_mesh && w->digit[device[stride] * w->n_mesh + i] == w->digit[device[0] * w->n_mesh + i]) i++;
    if (i == w->n_mesh || k == w->n_mesh) return false;
    digit[k++] = i;
    stride *= label_size(w->p->s, w->mesh[i]);
  }
  if (stride != a->i) return false;
  int64_t *size = SCRATCH(w->p->s, int64_t, k + 1);
  m->own = SCRATCH(w->p->s, Label, k + 1);
  m->group = (Cuts){k, size};
  for (uint32_t j = 0; j < k; j++) {
    m->own[j] = w->mesh[digit[k - 1 - j]];
    size[j] = label_size(w->p->s, m->own[j]);
  }
  bool *seen = SCRATCH(w->p->s, bool, n);
  for (uint32_t i = 0; i < a->n; i++) {
    if (seen[device[i]]) return false;
    seen[device[i]] = true;
    const int64_t *here = w->digit + device[i] * w->n_mesh, *first = w->digit + device[i - i % a->i] * w->n_mesh;
    for (uint32_t x = 0; x < w->n_mesh; x++) {
      int64_t want = first[x], rest = i % a->i;
      for (uint32_t j = 0; j < k; rest /= size[k - 1 - j++])
        if (digit[j] == x) want = rest % size[k - 1 - j];
      if (here[x] != want) return false;
    }
  }
  return true;
}

bool lay(Mean *m, const AstItem *item) {
  const AstOp *op = m->op = &item->op;
  Store *s = m->w->p->s;
  uint32_t n = op->n_params, n_names = 0, left = n + 1;
  bool alike = op->opaque && op->n_results == 1; /* all results */
  if (m->node->result >= op->n_results && !alike) return false;
  m->result = &op->results[alike ? 0 : m->node->result];
  m->variadic = n && op->params[n - 1].variadic ? n - 1 : n;
  if (m->variadic < n ? m->node->n_args < n - 1 : m->node->n_args != n) return false;
  m->n_each = m->variadic < n ? m->node->n_args - (n - 1) : 0;
  m->param = SCRATCH(s, Bracket, n + 1);
  for (uint32_t p = 0; p <= n; p++) {
    const AstPattern *dims = p < n ? op->params[p].dims : m->result->dims;
    for (uint32_t i = 0; i < (p < n ? op->params[p].n_dims : m->result->n_dims); i++) n_names += dims[i].n;
  }
  m->sizes = SCRATCH(s, Size, n_names + 1);
  if (!replica_group(m)) return false;
  bool *done = SCRATCH(s, bool, n + 1);
  for (bool progress = true; left && progress;) {
    progress = false;
    for (uint32_t p = 0; p <= n; p++) {
      bool later = false;
      if (done[p]) continue;
      if (bracket(m, p, &later)) done[p] = progress = true, left--;
      else if (!later) return false;
    }
  }
  if (left) return false;
  if (m->result->body && op->over) positions(m, m->result->body);
  return sizes(m);
}

/* Digits from `*at` on that make up `size`. */
static bool take(const Cuts *c, uint32_t *at, int64_t size, Cuts *out) {
  *out = (Cuts){0, c->size + *at};
  for (int64_t z = 1; z < size; z *= c->size[(*at)++], out->n++)
    if (*at == c->n || size % (z * c->size[*at])) return false;
  return true;
}

bool lay_cuts(const Mean *m, Sym name, uint32_t position, Cuts *out) {
  Cuts found;
  for (uint32_t p = 0; p <= m->op->n_params; p++) {
    bool result = p == m->op->n_params;
    const Bracket *b = result ? &m->out : &m->param[p];
    if (p == m->variadic && !result && m->each < 0) continue;
    NodeId node = result ? (NodeId)(m->node - m->w->problem->graph[m->side]->nodes.at)
                         : m->node->args[p == m->variadic ? p + (uint32_t)m->each : p];
    for (uint32_t k = 0; k < b->n; k++) {
      uint32_t at = 0;
      if (b->start[k] + position >= b->start[k + 1] && is_group(&b->patterns[k])) continue;
      const Cuts *c =
          b->patterns[k].n
              ? &m->w->part->dims[m->side][node][b->dim[b->start[k] + (is_group(&b->patterns[k]) ? position : 0)]]
              : NULL;
      for (uint32_t d = 0; d < b->patterns[k].n; d++) {
        const Size *z = lay_size(m, b->patterns[k].digit[d].name);
        int64_t size = z->size[z->group ? position : z->each ? (m->each < 0 ? 0 : m->each) : 0];
        bool ok = take(c, &at, size, &found);
        if (z->name == name && ok) return *out = found, true;
        if (!ok) break;
      }
    }
  }
  return false;
}

/* The indices of one dimension that is not cut as they are are sought: where their position is that of the dimension. */
static void seek_result(Mean *m, const AstPattern *p, uint32_t dim, const Cuts *whole) {
  Store *s = m->w->p->s;
  Label l[64];
  int64_t stride = 1;
  for (uint32_t j = 0; j < whole->n && j < 64; j++) l[j] = dim_label(m->w, dim, j, whole->size[j]);
  Affine f = form_add(s, (Affine){0}, form_digits(s, l, whole->n), -1);
  for (uint32_t d = p->n; d-- > 0;) {
    const Size *z = lay_size(m, p->digit[d].name);
    Cuts c = {z->size[0] > 1, z->size};
    if (!lay_cuts(m, z->name, 0, &c) && z->size[0] == m->members) c = m->group;
    if (c.n > 64) return (void)goal_fail(m->w->p, "too many digits");
    for (uint32_t j = 0; j < c.n; j++) vec_push(&m->sought, l[j] = label_fresh(s, c.size[j]));
    Val *v = SCRATCH(s, Val, 1);
    *v = (Val){.is_form = true, .f = form_digits(s, l, c.n)};
    meaning_bind(m, z->name, v, z->size, 1, false);
    f = form_add(s, f, v->f, stride);
    stride *= z->size[0];
  }
  vec_push(&m->places, goal_equal(m->w->p, form_num(m->w->p, f)));
}

static bool cut_as_needed(const Mean *m, const AstPattern *p, const Cuts *whole) {
  uint32_t at = 0;
  Cuts own;
  bool ok = true;
  for (uint32_t d = 0; d < p->n && ok; d++) ok = take(whole, &at, lay_size(m, p->digit[d].name)->size[0], &own);
  return ok;
}

bool lay_result(Mean *m) {
  Store *s = m->w->p->s;
  NodeId id = (NodeId)(m->node - m->w->problem->graph[m->side]->nodes.at);
  const Bracket *b = &m->out;
  for (uint32_t p = 0; p < b->n; p++) {
    uint32_t n = b->start[p + 1] - b->start[p], at = 0, dim0 = b->dim[b->start[p]];
    const Cuts *whole = &m->w->part->dims[m->side][id][dim0];
    const AstPattern *pattern = &b->patterns[p];
    Cuts own;
    if (n == 1 && !is_group(pattern) && !cut_as_needed(m, pattern, whole)) {
      seek_result(m, pattern, dim0, whole);
      continue;
    }
    at = 0;
    for (uint32_t d = 0; d < pattern->n; d++) {
      const Size *z = lay_size(m, pattern->digit[d].name);
      Val *v = SCRATCH(s, Val, n + 1);
      for (uint32_t i = 0; i < n; i++) {
        if (z->group) at = 0;
        uint32_t dim = b->dim[b->start[p] + i], from = at;
        const Cuts *c = &m->w->part->dims[m->side][id][dim];
        if (!take(c, &at, z->size[z->group ? i : 0], &own))
          return goal_fail(m->w->p, "a dimension that is not cut as its operator needs");
        Label l[64];
        if (own.n > 64) return false;
        for (uint32_t j = 0; j < own.n; j++) l[j] = dim_label(m->w, dim, from + j, own.size[j]);
        v[i] = (Val){.is_form = true, .f = form_digits(s, l, own.n)};
      }
      meaning_bind(m, z->name, v, z->size, z->group ? n : 1, z->group);
    }
  }
  return true;
}
