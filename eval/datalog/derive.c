#include "eval/datalog/derive.h"

#include "eval/datalog/reason.h"

Derivation *derive_new(Db *db, uint32_t most) {
  Derivation *p = xcalloc(1, sizeof *p);
  p->db = db;
  p->claims = claims_get(db);
  p->most = most;
  p->mask = 255;
  p->slots = xcalloc(p->mask + 1, sizeof *p->slots);
  return p;
}

void derive_free(Derivation *p) {
  if (!p) return;
  vec_free(&p->steps);
  vec_free(&p->pool);
  vec_free(&p->premises);
  free(p->slots);
  free(p);
}

/* ---- steps, each once ---- */

static uint32_t n_cols(const Derivation *p, DeriveWhat what, uint32_t of) {
  return what == PROVES_ROW ? p->db->tables.at[of]->n_cols : 2;
}

static uint32_t hash_step(const Derivation *p, DeriveWhat what, uint32_t of, uint32_t claim, const Val *cols) {
  uint64_t h = val_mix(val_mix(what, of), claim);
  return (uint32_t)val_mix(h, val_hash(cols, n_cols(p, what, of)));
}

static void grow(Derivation *p) {
  free(p->slots);
  p->mask = p->mask * 2 + 1;
  p->slots = xcalloc(p->mask + 1ull, sizeof *p->slots);
  for (uint32_t i = 0; i < p->steps.len; i++) {
    DerivedStep *s = &p->steps.at[i];
    uint32_t *slot = &p->slots[hash_step(p, s->what, s->of, s->claim, p->pool.at + s->cols) & p->mask];
    s->next = *slot;
    *slot = i + 1;
  }
}

static uint32_t step_for(Derivation *p, DeriveWhat what, uint32_t of, uint32_t claim, const Val *cols) {
  uint32_t n = n_cols(p, what, of), h = hash_step(p, what, of, claim, cols);
  for (uint32_t i = p->slots[h & p->mask]; i; i = p->steps.at[i - 1].next) {
    const DerivedStep *s = &p->steps.at[i - 1];
    if (s->what == what && s->of == of && s->claim == claim &&
        (!n || !memcmp(p->pool.at + s->cols, cols, n * sizeof *cols)))
      return i - 1;
  }
  if (p->steps.len > p->mask) grow(p);
  DerivedStep s = {.what = what, .of = of, .claim = claim, .cols = (uint32_t)p->pool.len, .op = IR_NONE};
  s.next = p->slots[h & p->mask];
  for (uint32_t i = 0; i < n; i++) vec_push(&p->pool, cols[i]);
  vec_push(&p->steps, s);
  p->slots[h & p->mask] = (uint32_t)p->steps.len;
  return (uint32_t)p->steps.len - 1;
}

static uint32_t row_at(Derivation *p, uint32_t table, const Val *cols, ClaimTime t) {
  return step_for(p, PROVES_ROW, table, claims_find(p->claims, table, cols, t), cols);
}

uint32_t derive_row(Derivation *p, uint32_t table, const Val *cols) {
  return row_at(p, table, cols, claims_now(p->claims));
}

uint32_t derive_equal(Derivation *p, SortId s, Val a, Val b) {
  return step_for(p, PROVES_EQUAL, s, IR_NONE, (Val[]){a, b});
}

/* ---- premises ---- */

static void premise(Derivation *p, uint32_t i, uint32_t of) {
  vec_push(&p->premises, of);
  p->steps.at[i].n++;
}

static Val register_of(const Derivation *p, const IrBlock *b, uint32_t words, Reg r) {
  Val v = p->db->reasons.at[words + r];
  bool is_class = b->sorts && sort_of(p->db, b->sorts[r])->kind == SORT_EQ;
  return is_class && v != VAL_NONE ? v & ~REASON_MADE : v;
}

static void row_premise(Derivation *p, uint32_t i, const IrBlock *b, uint32_t words, uint32_t table, const Reg *arg,
                        uint32_t n, Reg out, ClaimTime t) {
  Val *cols = xmalloc((n + 1) * sizeof *cols);
  for (uint32_t k = 0; k < n; k++) cols[k] = register_of(p, b, words, arg[k]);
  if (out != IR_NONE) cols[n] = register_of(p, b, words, out);
  premise(p, i, row_at(p, table, cols, t));
  free(cols);
}

/* The rows that the operations before `last` found, as far as its arguments depend on them. */
static void found_premises(Derivation *p, uint32_t i, const IrBlock *b, uint32_t words, uint32_t last, ClaimTime query,
                           ClaimTime match) {
  bool *needed = xcalloc(b->n_regs + 1, sizeof *needed);
  for (uint32_t k = 0; last < b->n_ops && k < b->ops[last].n; k++) needed[b->ops[last].arg[k]] = true;
  if (last == b->n_ops) needed[b->result] = true;
  for (uint32_t k = last; k-- > 0;) {
    const IrOp *op = &b->ops[k];
    if (op->dst == IR_NONE || !needed[op->dst]) continue;
    for (uint32_t a = 0; a < op->n; a++) needed[op->arg[a]] = true;
    if (op->kind != IR_MAKE && op->kind != IR_MAKE_AS && op->kind != IR_LOOKUP) continue;
    const Table *t = p->db->tables.at[op->op];
    if (op->kind == IR_MAKE_AS && (p->db->reasons.at[words + op->dst] & REASON_MADE)) {
      uint32_t claim = claims_of(p->claims, p->steps.at[i].record, k);
      if (claim != IR_NONE) premise(p, i, step_for(p, PROVES_ROW, op->op, claim, claim_cols(p->claims, claim)));
      continue;
    }
    if (op->kind == IR_MAKE && (p->db->reasons.at[words + op->dst] & REASON_MADE)) continue;
    row_premise(p, i, b, words, op->op, op->arg, t->n_in, op->dst, op->kind == IR_LOOKUP ? query : match);
  }
  free(needed);
}

/* Operation `op` of a match says so. */
static void by_rule(Derivation *p, uint32_t i, uint32_t record, uint32_t op, DeriveKind kind) {
  const IrBlock *b = &p->db->rules.at[p->db->reasons.at[record]]->ir.block;
  p->steps.at[i].kind = kind;
  p->steps.at[i].record = record;
  p->steps.at[i].op = op;
  ClaimTime t = claims_query_time(p->claims, record);
  for (uint32_t a = 0; a < b->n_atoms; a++)
    if (b->atoms[a].kind == IR_ROW)
      row_premise(p, i, b, record + 1, b->atoms[a].op, b->atoms[a].arg, b->atoms[a].n, IR_NONE, t);
  found_premises(p, i, b, record + 1, op, t, claims_match_time(p->claims, record));
}

static void by_merge(Derivation *p, uint32_t i, uint32_t record) {
  const uint32_t *w = p->db->reasons.at + record;
  const Table *t = p->db->tables.at[w[1]];
  ClaimTime time = claims_time(p->claims, w[2], record);
  uint32_t words = record + 3 + t->n_in;
  p->steps.at[i].kind = DERIVE_MERGED;
  p->steps.at[i].record = record;
  Val *cols = xmalloc((t->n_cols + 1) * sizeof *cols);
  if (t->n_in) memcpy(cols, w + 3, t->n_in * sizeof *cols);
  for (Reg r = 0; r < 2; r++) {
    cols[t->n_in] = p->db->reasons.at[words + r];
    premise(p, i, row_at(p, t->id, cols, time));
  }
  free(cols);
  for (uint32_t k = 0; k < t->merge->n_ops; k++) {
    const IrOp *op = &t->merge->ops[k];
    if (op->kind == IR_MAKE || op->kind == IR_LOOKUP)
      row_premise(p, i, t->merge, words, op->op, op->arg, p->db->tables.at[op->op]->n_in, op->dst, time);
  }
}

/* What a record says by itself, through operation `op` (of a match). */
static void by_record(Derivation *p, uint32_t i, uint32_t record, uint32_t op) {
  const uint32_t *w = p->db->reasons.at + record;
  switch (w[0]) {
    case REASON_GIVEN:
      p->steps.at[i].kind = DERIVE_GIVEN;
      p->steps.at[i].record = record;
      break;
    case REASON_CALL:
      if (w[2] != IR_NONE) {
        by_rule(p, i, w[1], w[2], DERIVE_CALL);
      } else {
        p->steps.at[i].kind = DERIVE_CALL;
        p->steps.at[i].record = record;
      }
      break;
    case REASON_MERGED: by_merge(p, i, record); break;
    default: by_rule(p, i, record, op, DERIVE_RULE);
  }
}

static void explain_row(Derivation *p, uint32_t i) {
  DerivedStep *s = &p->steps.at[i];
  if (s->claim == IR_NONE) {
    s->kind = DERIVE_LOST;
    return;
  }
  const Claim *claim = &p->claims->all.at[s->claim];
  const Table *t = p->db->tables.at[s->of];
  const Val *made = claim_cols(p->claims, s->claim);
  if (!t->n_cols || !memcmp(made, derive_cols(p, i), t->n_cols * sizeof *made)) {
    by_record(p, i, claim->record, claim->op);
    return;
  }
  s->kind = DERIVE_MOVED;
  premise(p, i, step_for(p, PROVES_ROW, t->id, p->steps.at[i].claim, made));
  for (uint32_t c = 0; c < t->n_cols; c++) {
    Val now = derive_cols(p, i)[c];
    if (made[c] != now) premise(p, i, derive_equal(p, t->sorts[c], made[c], now));
  }
}

/* The rule's operation that united a and b: says so itself, or made a row that another one was found in place of. */
static void explain_match_union(Derivation *p, uint32_t i, uint32_t record, Val a, Val b) {
  const IrBlock *block = &p->db->rules.at[p->db->reasons.at[record]]->ir.block;
  for (uint32_t k = 0; k < block->n_ops; k++) {
    const IrOp *op = &block->ops[k];
    if (op->kind != IR_UNION && op->kind != IR_MAKE_AS) continue;
    bool as = op->kind == IR_MAKE_AS;
    if (as && op->dst == IR_NONE) continue;
    Val x = register_of(p, block, record + 1, as ? op->dst : op->arg[0]);
    Val y = register_of(p, block, record + 1, op->arg[op->n - 1]);
    if ((x != a || y != b) && (x != b || y != a)) continue;
    if (!as) {
      by_rule(p, i, record, k, DERIVE_RULE);
      return;
    }
    uint32_t claim = claims_of(p->claims, record, k);
    if (claim == IR_NONE) continue;
    p->steps.at[i].kind = DERIVE_CONGRUENT;
    uint32_t made = step_for(p, PROVES_ROW, op->op, claim, claim_cols(p->claims, claim));
    if (x != a) premise(p, i, made);
    row_premise(p, i, block, record + 1, op->op, op->arg, op->n - 1, op->dst, claims_match_time(p->claims, record));
    if (x == a) premise(p, i, made);
    return;
  }
  p->steps.at[i].kind = DERIVE_LOST;
}

static void explain_congruence(Derivation *p, uint32_t i, uint32_t record, uint32_t index, Val a, Val b) {
  const Table *t = p->db->tables.at[p->db->reasons.at[record + 1]];
  ClaimTime time = claims_time(p->claims, index, record);
  Val *cols = xmalloc((t->n_cols + 1) * sizeof *cols);
  if (t->n_in) memcpy(cols, p->db->reasons.at + record + 2, t->n_in * sizeof *cols);
  p->steps.at[i].kind = DERIVE_CONGRUENT;
  cols[t->n_in] = a;
  premise(p, i, row_at(p, t->id, cols, time));
  cols[t->n_in] = b;
  premise(p, i, row_at(p, t->id, cols, time));
  free(cols);
}

static void explain_union(Derivation *p, uint32_t i) {
  uint32_t index = p->steps.at[i].claim;
  const UfUnion u = p->db->classes.log.at[index];
  if (!u.reason) {
    p->steps.at[i].kind = DERIVE_LOST;
    return;
  }
  switch (p->db->reasons.at[u.reason]) {
    case REASON_CONGRUENT: explain_congruence(p, i, u.reason, index, u.a, u.b); break;
    case REASON_GIVEN:
    case REASON_CALL: by_record(p, i, u.reason, IR_NONE); break;
    case REASON_MERGED: p->steps.at[i].kind = DERIVE_LOST; break;
    default: explain_match_union(p, i, u.reason, u.a, u.b);
  }
}

/* Elements that differ, each with one that it was equal to. */
static void explain_box_union(Derivation *p, uint32_t i) {
  Db *db = p->db;
  uint32_t index = p->steps.at[i].claim;
  const UfUnion u = db->boxes.uf.log.at[index];
  const Box from = db->boxes.box.at[u.loser], to = db->boxes.box.at[u.winner];
  ClaimTime t = claims_time(p->claims, u.reason, 0);
  t.boxes = index;
  p->steps.at[i].kind = DERIVE_BOX;
  for (uint32_t k = 0; k < from.n; k++) {
    SortId s = box_element_sort(db, &from, k);
    if (s == IR_NONE) continue;
    Val v = db->boxes.pool.at[from.at + k];
    bool in_order = k < to.n && claims_equal(p->claims, s, v, db->boxes.pool.at[to.at + k], t);
    for (uint32_t m = in_order ? k : 0; m < to.n; m++) {
      Val w = db->boxes.pool.at[to.at + m];
      if (box_element_sort(db, &to, m) != s || !claims_equal(p->claims, s, v, w, t)) continue;
      if (v != w) premise(p, i, derive_equal(p, s, v, w));
      break;
    }
  }
}

typedef struct {
  Derivation *proof;
  uint32_t step;
  const Uf *uf;
  bool boxes;
} Walk;

static void chain_link(void *ctx, const UfUnion *u, bool forward) {
  Walk *w = ctx;
  (void)forward;
  uint32_t index = (uint32_t)(u - w->uf->log.at);
  Val ends[2] = {w->boxes ? u->loser : u->a, w->boxes ? u->winner : u->b};
  premise(w->proof, w->step, step_for(w->proof, w->boxes ? PROVES_BOX_UNION : PROVES_UNION, u->tag, index, ends));
}

static void explain_equal(Derivation *p, uint32_t i) {
  Val a = derive_cols(p, i)[0], b = derive_cols(p, i)[1];
  SortId s = p->steps.at[i].of;
  if (a == b) {
    p->steps.at[i].kind = DERIVE_SAME;
    return;
  }
  bool boxes = sort_of(p->db, s)->kind != SORT_EQ;
  Walk w = {p, i, boxes ? &p->db->boxes.uf : &p->db->classes, boxes};
  bool ok = uf_path(w.uf, boxes ? p->claims->up_box : p->claims->up_class, a, b, chain_link, &w);
  p->steps.at[i].kind = ok ? DERIVE_CHAIN : DERIVE_LOST;
}

bool derive_complete(Derivation *p) {
  for (; p->n_done < p->steps.len; p->n_done++) {
    uint32_t i = p->n_done;
    p->steps.at[i].first = (uint32_t)p->premises.len;
    if (i >= p->most) {
      p->steps.at[i].kind = DERIVE_LOST;
      continue;
    }
    switch (p->steps.at[i].what) {
      case PROVES_ROW: explain_row(p, i); break;
      case PROVES_UNION: explain_union(p, i); break;
      case PROVES_BOX_UNION: explain_box_union(p, i); break;
      case PROVES_EQUAL: explain_equal(p, i); break;
    }
  }
  return p->steps.len <= p->most;
}

/* ---- reading ---- */

const IrRule *derive_rule(const Derivation *p, uint32_t step) {
  const DerivedStep *s = &p->steps.at[step];
  if (s->kind != DERIVE_RULE && (s->kind != DERIVE_CALL || s->op == IR_NONE)) return NULL;
  return &p->db->rules.at[p->db->reasons.at[s->record]]->ir;
}

Val derive_register(const Derivation *p, uint32_t step, Reg r) {
  return register_of(p, &derive_rule(p, step)->block, p->steps.at[step].record + 1, r);
}

Span derive_given_at(const Derivation *p, uint32_t step) {
  const uint32_t *w = p->db->reasons.at + p->steps.at[step].record;
  return (Span){w[1], w[2], w[2]};
}
