/* The stack machine of pickles: see pickle.h. */
#include "frontends/plan/pickle.h"

#include <string.h>

#include "frontends/base/scan.h"
#include "lang/base/vec.h"

enum { MAX_TEXT = 4096, MAX_KEYS = 256 };

enum Opcode {
  OP_MARK = '(', OP_STOP = '.', OP_POP = '0', OP_POP_MARK = '1', OP_DUP = '2', OP_BININT = 'J', OP_BININT1 = 'K',
  OP_BININT2 = 'M', OP_NONE = 'N', OP_REDUCE = 'R', OP_BINUNICODE = 'X', OP_APPEND = 'a', OP_BUILD = 'b',
  OP_GLOBAL = 'c', OP_DICT = 'd', OP_EMPTY_DICT = '}', OP_APPENDS = 'e', OP_BINGET = 'h', OP_LONG_BINGET = 'j',
  OP_LIST = 'l', OP_EMPTY_LIST = ']', OP_BINPUT = 'q', OP_LONG_BINPUT = 'r', OP_SETITEM = 's', OP_TUPLE = 't',
  OP_EMPTY_TUPLE = ')', OP_SETITEMS = 'u', OP_BINFLOAT = 'G', OP_BINBYTES = 'B', OP_SHORT_BINBYTES = 'C',
  OP_PROTO = 0x80, OP_NEWOBJ, OP_TUPLE1 = 0x85, OP_TUPLE2, OP_TUPLE3, OP_NEWTRUE, OP_NEWFALSE, OP_LONG1, OP_LONG4,
  OP_SHORT_BINUNICODE, OP_BINUNICODE8, OP_BINBYTES8, OP_EMPTY_SET, OP_ADDITEMS, OP_FROZENSET, OP_NEWOBJ_EX,
  OP_STACK_GLOBAL, OP_MEMOIZE, OP_FRAME, OP_BYTEARRAY8,
};

typedef struct Machine {
  Arena *arena;
  const uint8_t *at, *end;
  Vec(PickleValue) stack, memo;
  Vec(uint32_t) marks; /* how high the stack was */
  const PickleLimits *limits;
  PickleFault *fault;
} Machine;

static bool wrong(Machine *m, DiagCode code, const char *what) {
  m->fault->code = code;
  m->fault->what = what;
  return false;
}

static bool push(Machine *m, PickleValue v) {
  if (m->stack.len >= m->limits->stack) return wrong(m, E_LIMIT, "too many values at a time");
  vec_push(&m->stack, v);
  return true;
}

/* So many values above the last mark? */
static bool need(Machine *m, size_t n) {
  size_t floor = m->marks.len ? vec_last(&m->marks) : 0;
  return m->stack.len - floor >= n || wrong(m, E_GRAPH_SYNTAX, "a value is missing");
}

/* n bytes as a little-endian number, n <= 8. */
static bool number(Machine *m, unsigned n, uint64_t *out) {
  if ((size_t)(m->end - m->at) < n) return wrong(m, E_GRAPH_SYNTAX, "the pickle is cut off");
  *out = 0;
  for (unsigned k = 0; k < n; k++) *out |= (uint64_t)m->at[k] << 8 * k;
  m->at += n;
  return true;
}

/* A length of n bytes, and so many bytes. */
static bool text(Machine *m, unsigned n, const uint8_t **out, uint32_t *len) {
  uint64_t size;
  if (!number(m, n, &size)) return false;
  if (size > (size_t)(m->end - m->at) || size > UINT32_MAX) return wrong(m, E_GRAPH_SYNTAX, "the pickle is cut off");
  *out = m->at;
  *len = (uint32_t)size;
  m->at += size;
  return true;
}

/* ---- plain values */
static bool is_text(const uint8_t *s, size_t len) {
  size_t bad;
  return len <= MAX_TEXT && scan_valid((const char *)s, len, &bad);
}

static bool push_text(Machine *m, unsigned n) {
  const uint8_t *s;
  uint32_t len;
  if (!text(m, n, &s, &len)) return false;
  if (!is_text(s, len)) return push(m, (PickleValue){.kind = PV_OTHER});
  return push(m, (PickleValue){.kind = PV_STRING, .s = sym_n((const char *)s, len)});
}

static bool push_bytes(Machine *m, unsigned n) {
  PickleValue v = {.kind = PV_BYTES};
  return text(m, n, &v.bytes, &v.len) && push(m, v);
}

/* Little-endian, two's complement. */
static PickleValue long_value(const uint8_t *s, uint32_t len) {
  uint64_t v = len && s[len - 1] & 0x80 ? UINT64_MAX : 0;
  if (len > 8) return (PickleValue){.kind = PV_OTHER};
  for (uint32_t k = len; k--;) v = v << 8 | s[k];
  return (PickleValue){.kind = PV_INT, .i = (int64_t)v};
}

static bool push_long(Machine *m, unsigned n) {
  const uint8_t *s;
  uint32_t len;
  return text(m, n, &s, &len) && push(m, long_value(s, len));
}

static bool push_int(Machine *m, unsigned n) {
  uint64_t v;
  return number(m, n, &v) && push(m, (PickleValue){.kind = PV_INT, .i = n == 4 ? (int32_t)v : (int64_t)v});
}

static bool push_float(Machine *m) {
  PickleValue v = {.kind = PV_FLOAT};
  uint64_t bits;
  if (!number(m, 8, &bits)) return false;
  bits = __builtin_bswap64(bits);
  memcpy(&v.f, &bits, sizeof v.f);
  return push(m, v);
}

/* ---- lists */
static PickleValue new_list(Machine *m, PickleKind kind, const PickleValue *items, uint32_t n) {
  PickleList *l = ARENA_NEW(m->arena, PickleList);
  if (n) *l = (PickleList){arena_copy(m->arena, items, n * sizeof *items), n, n};
  return (PickleValue){.kind = (uint8_t)kind, .list = l};
}

static void add_items(Machine *m, PickleList *l, const PickleValue *items, uint32_t n) {
  if (l->len + n > l->cap) {
    PickleValue *old = l->at;
    l->cap = l->len + n > 2 * l->cap ? l->len + n : 2 * l->cap;
    l->at = arena_raw(m->arena, l->cap * sizeof *old);
    if (l->len) memcpy(l->at, old, l->len * sizeof *old);
  }
  if (n) memcpy(l->at + l->len, items, n * sizeof *items);
  l->len += n;
}

/* The last n values become one. */
static bool gather(Machine *m, PickleKind kind, uint32_t n) {
  if (!need(m, n)) return false;
  m->stack.len -= n;
  return push(m, new_list(m, kind, m->stack.at + m->stack.len, n));
}

/* How many values there are above the last mark, which is taken off. */
static bool take_mark(Machine *m, uint32_t *n) {
  if (!m->marks.len) return wrong(m, E_GRAPH_SYNTAX, "a list has no start");
  *n = (uint32_t)(m->stack.len - vec_pop(&m->marks));
  return true;
}

static bool gather_marked(Machine *m, PickleKind kind) {
  uint32_t n;
  if (!take_mark(m, &n)) return false;
  if (kind == PV_DICT && n % 2) return wrong(m, E_GRAPH_SYNTAX, "a key has no value");
  return gather(m, kind, n);
}

/* The last n values are added to the one below; what a record of a class would do with them is not known. */
static bool extend(Machine *m, PickleKind kind, uint32_t n) {
  if (!need(m, n + 1)) return false;
  m->stack.len -= n;
  const PickleValue *to = &vec_last(&m->stack);
  if (kind == PV_DICT && n % 2) return wrong(m, E_GRAPH_SYNTAX, "a key has no value");
  if (to->kind == PV_RECORD) return true;
  if (to->kind != kind) return wrong(m, E_GRAPH_SYNTAX, "items are added to something else");
  add_items(m, to->list, m->stack.at + m->stack.len, n);
  return true;
}

static bool extend_marked(Machine *m, PickleKind kind) {
  uint32_t n;
  return take_mark(m, &n) && extend(m, kind, n);
}

/* ---- names */
static bool push_global(Machine *m, const char *module, size_t n, const char *name, size_t n_name) {
  ArenaMark mark = arena_mark(m->arena);
  char *whole = arena_raw(m->arena, n + n_name + 1);
  memcpy(whole, module, n);
  whole[n] = '.';
  memcpy(whole + n + 1, name, n_name);
  PickleValue v = {.kind = PV_GLOBAL, .s = sym_n(whole, n + n_name + 1)};
  arena_reset(m->arena, mark);
  return push(m, v);
}

static bool stack_global(Machine *m) {
  if (!need(m, 2)) return false;
  const PickleValue *v = m->stack.at + m->stack.len - 2;
  if (v[0].kind != PV_STRING || v[1].kind != PV_STRING) return wrong(m, E_GRAPH_SYNTAX, "a name is no text");
  m->stack.len -= 2;
  return push_global(m, sym_text(v[0].s), sym_len(v[0].s), sym_text(v[1].s), sym_len(v[1].s));
}

/* Two lines. */
static bool line_global(Machine *m) {
  const uint8_t *s[2];
  size_t len[2];
  for (int k = 0; k < 2; k++) {
    s[k] = m->at;
    const uint8_t *end = memchr(s[k], '\n', (size_t)(m->end - s[k]));
    if (!end) return wrong(m, E_GRAPH_SYNTAX, "the pickle is cut off");
    len[k] = (size_t)(end - s[k]);
    if (!is_text(s[k], len[k])) return wrong(m, E_GRAPH_SYNTAX, "a name is no text");
    m->at = end + 1;
  }
  return push_global(m, (const char *)s[0], len[0], (const char *)s[1], len[1]);
}

/* ---- records */
/* A number of numpy: type and bytes. */
static bool numpy_scalar(const PickleValue *args, PickleValue *out) {
  if (args->list->len != 2) return false;
  const PickleValue *type = &args->list->at[0], *bytes = &args->list->at[1];
  if (type->kind != PV_RECORD || type->record->cls != sym("numpy.dtype") || bytes->kind != PV_BYTES) return false;
  const PickleValue *t = &type->record->args, *state = &type->record->state;
  if (t->kind != PV_TUPLE || !t->list->len || t->list->at[0].kind != PV_STRING) return false;
  if (state->kind == PV_TUPLE && state->list->len > 1 && state->list->at[1].kind == PV_STRING &&
      state->list->at[1].s == sym(">"))
    return false;
  const char *name = sym_text(t->list->at[0].s);
  uint32_t size = name[0] && name[1] >= '1' && name[1] <= '8' && !name[2] ? (uint32_t)(name[1] - '0') : 0;
  if (size != bytes->len || (size & (size - 1))) return false;
  if (name[0] == 'f' && size == 8) {
    *out = (PickleValue){.kind = PV_FLOAT};
    return memcpy(&out->f, bytes->bytes, size), true;
  }
  *out = long_value(bytes->bytes, size);
  if (name[0] == 'u' && size < 8) out->i &= (INT64_C(1) << 8 * size) - 1;
  if (name[0] == 'b' && size == 1) out->kind = PV_BOOL, out->i = out->i != 0;
  return name[0] == 'i' || name[0] == 'b' || (name[0] == 'u' && out->i >= 0);
}

static PickleValue new_record(Machine *m, PickleValue cls, PickleValue args) {
  PickleRecord *r = ARENA_NEW(m->arena, PickleRecord);
  r->cls = cls.kind == PV_GLOBAL ? cls.s : 0;
  r->args = args;
  return (PickleValue){.kind = PV_RECORD, .record = r};
}

static bool call(Machine *m) {
  if (!need(m, 2)) return false;
  PickleValue f = m->stack.at[m->stack.len - 2], args = vec_last(&m->stack), out;
  if (args.kind != PV_TUPLE) return wrong(m, E_GRAPH_SYNTAX, "arguments are no tuple");
  m->stack.len -= 2;
  if (f.kind != PV_GLOBAL) return push(m, new_record(m, f, args));
  if ((f.s == sym("collections.OrderedDict") && !args.list->len) || f.s == sym("collections.defaultdict"))
    return push(m, new_list(m, PV_DICT, NULL, 0));
  if (f.s == sym("torch.Size") && args.list->len == 1 && args.list->at[0].kind == PV_TUPLE)
    return push(m, args.list->at[0]);
  bool scalar = f.s == sym("numpy._core.multiarray.scalar") || f.s == sym("numpy.core.multiarray.scalar");
  return push(m, scalar && numpy_scalar(&args, &out) ? out : new_record(m, f, args));
}

/* A class, arguments, perhaps named ones too. */
static bool new_object(Machine *m, uint32_t n) {
  if (!need(m, n)) return false;
  m->stack.len -= n;
  const PickleValue *v = m->stack.at + m->stack.len;
  if (v[1].kind != PV_TUPLE) return wrong(m, E_GRAPH_SYNTAX, "arguments are no tuple");
  return push(m, new_record(m, v[0], v[1]));
}

static bool build(Machine *m) {
  if (!need(m, 2)) return false;
  PickleValue state = vec_pop(&m->stack), to = vec_last(&m->stack);
  if (to.kind == PV_DICT) return true;
  if (to.kind != PV_RECORD) return wrong(m, E_GRAPH_SYNTAX, "attributes of something that has none");
  if (to.record->state.kind != PV_NONE) return wrong(m, E_UNSUPPORTED, "an object that gets attributes twice");
  to.record->state = state;
  return true;
}

/* ---- memo */
static bool memoize(Machine *m, uint64_t at) {
  if (!need(m, 1)) return false;
  if (at > m->memo.len) return wrong(m, E_UNSUPPORTED, "values are not numbered in order");
  if (at >= m->limits->memo) return wrong(m, E_LIMIT, "too many numbered values");
  if (at == m->memo.len) vec_push(&m->memo, vec_last(&m->stack));
  else m->memo.at[at] = vec_last(&m->stack);
  return true;
}

static bool put(Machine *m, unsigned n) {
  uint64_t at;
  return number(m, n, &at) && memoize(m, at);
}

static bool get(Machine *m, unsigned n) {
  uint64_t at;
  if (!number(m, n, &at)) return false;
  if (at >= m->memo.len) return wrong(m, E_GRAPH_NAME, "there is no value of that number");
  return push(m, m->memo.at[at]);
}

/* ---- opcodes */
static bool mark(Machine *m) {
  if (m->marks.len >= m->limits->depth) return wrong(m, E_NESTING, "lists are nested too deep");
  vec_push(&m->marks, (uint32_t)m->stack.len);
  return true;
}

static bool pop(Machine *m) {
  if (m->marks.len && vec_last(&m->marks) == m->stack.len) return m->marks.len--, true;
  return need(m, 1) && (m->stack.len--, true);
}

static bool pop_mark(Machine *m) {
  uint32_t n;
  return take_mark(m, &n) && (m->stack.len -= n, true);
}

static bool skip(Machine *m, unsigned n) {
  uint64_t ignored;
  return number(m, n, &ignored);
}

static bool step(Machine *m, uint8_t op) {
  switch (op) {
    case OP_BINGET: return get(m, 1);
    case OP_LONG_BINGET: return get(m, 4);
    case OP_MEMOIZE: return memoize(m, m->memo.len);
    case OP_BINPUT: return put(m, 1);
    case OP_LONG_BINPUT: return put(m, 4);
    case OP_NONE: return push(m, (PickleValue){.kind = PV_NONE});
    case OP_NEWTRUE:
    case OP_NEWFALSE: return push(m, (PickleValue){.kind = PV_BOOL, .i = op == OP_NEWTRUE});
    case OP_BININT1: return push_int(m, 1);
    case OP_BININT2: return push_int(m, 2);
    case OP_BININT: return push_int(m, 4);
    case OP_LONG1: return push_long(m, 1);
    case OP_LONG4: return push_long(m, 4);
    case OP_BINFLOAT: return push_float(m);
    case OP_SHORT_BINUNICODE: return push_text(m, 1);
    case OP_BINUNICODE: return push_text(m, 4);
    case OP_BINUNICODE8: return push_text(m, 8);
    case OP_SHORT_BINBYTES: return push_bytes(m, 1);
    case OP_BINBYTES: return push_bytes(m, 4);
    case OP_BINBYTES8:
    case OP_BYTEARRAY8: return push_bytes(m, 8);
    case OP_MARK: return mark(m);
    case OP_POP: return pop(m);
    case OP_POP_MARK: return pop_mark(m);
    case OP_DUP: return need(m, 1) && push(m, vec_last(&m->stack));
    case OP_EMPTY_TUPLE: return gather(m, PV_TUPLE, 0);
    case OP_TUPLE1:
    case OP_TUPLE2:
    case OP_TUPLE3: return gather(m, PV_TUPLE, op - OP_TUPLE1 + 1u);
    case OP_TUPLE: return gather_marked(m, PV_TUPLE);
    case OP_EMPTY_LIST: return gather(m, PV_LIST, 0);
    case OP_LIST: return gather_marked(m, PV_LIST);
    case OP_APPEND: return extend(m, PV_LIST, 1);
    case OP_APPENDS: return extend_marked(m, PV_LIST);
    case OP_EMPTY_DICT: return gather(m, PV_DICT, 0);
    case OP_DICT: return gather_marked(m, PV_DICT);
    case OP_SETITEM: return extend(m, PV_DICT, 2);
    case OP_SETITEMS: return extend_marked(m, PV_DICT);
    case OP_EMPTY_SET: return gather(m, PV_SET, 0);
    case OP_FROZENSET: return gather_marked(m, PV_SET);
    case OP_ADDITEMS: return extend_marked(m, PV_SET);
    case OP_GLOBAL: return line_global(m);
    case OP_STACK_GLOBAL: return stack_global(m);
    case OP_REDUCE: return call(m);
    case OP_NEWOBJ: return new_object(m, 2);
    case OP_NEWOBJ_EX: return new_object(m, 3);
    case OP_BUILD: return build(m);
    case OP_PROTO: return skip(m, 1);
    case OP_FRAME: return skip(m, 8);
    default: return wrong(m, E_UNSUPPORTED, "an instruction that is not read");
  }
}

static bool run(Machine *m, const uint8_t *start, PickleValue *out) {
  for (uint64_t n = 0;; n++) {
    m->fault->at = (size_t)(m->at - start);
    if (m->at == m->end) return wrong(m, E_GRAPH_SYNTAX, "the pickle is cut off");
    if (n >= m->limits->opcodes) return wrong(m, E_LIMIT, "too many instructions");
    if (m->arena->used > m->limits->memory) return wrong(m, E_LIMIT, "too much memory");
    uint8_t op = *m->at++;
    if (op == OP_STOP) break;
    if (!step(m, op)) return false;
  }
  if (m->at != m->end) return wrong(m, E_GRAPH_SYNTAX, "there is something behind the end");
  return need(m, 1) && (*out = vec_last(&m->stack), true);
}

bool pickle_read(Arena *arena, const uint8_t *start, size_t len, const PickleLimits *limits, PickleValue *out,
                 PickleFault *fault) {
  Machine m = {.arena = arena, .at = start, .end = start + len, .limits = limits, .fault = fault};
  *fault = (PickleFault){0};
  bool ok = run(&m, start, out);
  vec_free(&m.stack);
  vec_free(&m.memo);
  vec_free(&m.marks);
  return ok;
}

/* ---- what is asked of values */
const PickleValue *pickle_get(const PickleValue *dict, Sym key) {
  if (dict->kind != PV_DICT || dict->list->len > 2 * MAX_KEYS) return NULL;
  for (uint32_t k = dict->list->len; k >= 2; k -= 2)
    if (dict->list->at[k - 2].kind == PV_STRING && dict->list->at[k - 2].s == key) return &dict->list->at[k - 1];
  return NULL;
}

const PickleValue *pickle_attr(const PickleRecord *r, Sym name) {
  const PickleValue *s = &r->state;
  if (s->kind != PV_TUPLE || s->list->len != 2) return pickle_get(s, name);
  const PickleValue *found = pickle_get(&s->list->at[1], name); /* attributes of slots */
  return found ? found : pickle_get(&s->list->at[0], name);
}
