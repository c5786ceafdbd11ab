/* HLO text to HloModule: header, tables, computations, instructions.
 *
 * One pass, names resolved as they are read: a symbol's number finds the instruction of that name in the computation
 * being read, so nothing is looked up twice and nothing is cleared between computations.  After an error in an
 * instruction reading goes on at the next line, so that one run shows several. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "frontends/base/pairs.h"
#include "frontends/base/custom.h"
#include "frontends/hlo/parser.h"

static const char *const opcode_texts[] = {
#define OPCODE(id, text, class, least, most) text,
#include "frontends/hlo/opcode.def"
#undef OPCODE
};
static const struct { int least, most; } opcodes[] = {
#define OPCODE(id, text, class, least, most) {least, most},
#include "frontends/hlo/opcode.def"
#undef OPCODE
    {0, -1},
};
const uint8_t hlo_classes[] = {
#define OPCODE(id, text, class, least, most) class,
#include "frontends/hlo/opcode.def"
#undef OPCODE
    C_RESULTS,
};
static const char *const attr_texts[] = {
#define ATTRIBUTE(id, text, form) text,
#include "frontends/hlo/attr.def"
#undef ATTRIBUTE
};
static const char *const dtype_texts[] = {
#define DTYPE(id, text, kind, bits) text,
#include "eval/graph/dtype.def"
#undef DTYPE
};

const char *hlo_opcode_text(HloOpcode o) { return o < HLO_UNKNOWN ? opcode_texts[o] : "this operator"; }

static void words_init(Words *w, const char *const *texts, size_t n) {
  size_t mask = sizeof w->slot / sizeof *w->slot - 1;
  w->texts = texts;
  for (size_t i = 0; i < n; i++) {
    size_t k = XXH3_64bits(texts[i], strlen(texts[i])) & mask;
    while (w->slot[k]) k = (k + 1) & mask;
    w->slot[k] = (uint16_t)(i + 1);
    w->len[k] = (uint8_t)strlen(texts[i]);
  }
}

int words_find(const Words *w, Text t) {
  size_t mask = sizeof w->slot / sizeof *w->slot - 1;
  for (size_t k = XXH3_64bits(t.at, t.len) & mask; w->slot[k]; k = (k + 1) & mask) {
    if (w->len[k] == t.len && !memcmp(w->texts[w->slot[k] - 1], t.at, t.len)) return w->slot[k] - 1;
  }
  return -1;
}

Span parser_span(const Parser *p, const HloInstr *i) {
  const char *lo = p->s.text + i->at, *hi = strchr(lo, '\n');
  return scan_span(&p->s, lo, hi ? hi : lo + strlen(lo));
}

/* 1-based line of a place at or behind the last one asked for. */
static uint32_t line_of(Parser *p, const char *at) {
  while (p->line_end && p->line_end < at) {
    p->line++;
    p->line_end = strchr(p->line_end + 1, '\n');
  }
  return p->line;
}

/* Tables of names are larger than caches: asks for the entry of the name on the next line, while this one is read. */
static void prefetch_next(const Parser *p) {
  const char *q = p->line_end;
  if (!q) return;
  while (*++q == ' ') {}
  if (*q == 'R' && !strncmp(q, "ROOT ", 5)) q += 5;
  if (*q == '%') q++;
  const char *lo = q;
  while (SCAN_IS(*q, SCAN_NAME)) q++;
  sym_prefetch(lo, (size_t)(q - lo));
}

/* The instruction of this name in the computation being read, as an operand; or a report. */
static bool find_instr(Parser *p, Text t, HloOperand *out) {
  Sym name = sym_n(t.at, t.len);
  uint32_t comp = (uint32_t)(p->comp - p->m->comps.at) + 1;
  if (name < p->instr_of.len && p->instr_of.at[name].comp == comp) {
    *out = p->instr_of.at[name].as;
    return true;
  }
  return SCAN_ERROR(&p->s, t.at, t.at + t.len, E_GRAPH_NAME, "'%s' is not defined above its use", sym_text(name));
}

static bool add_instr_name(Parser *p, Text t, const HloInstr *i, uint32_t index) {
  uint32_t comp = (uint32_t)(p->comp - p->m->comps.at) + 1;
  while (p->instr_of.len <= i->name) vec_push(&p->instr_of, (NameEntry){0});
  if (p->instr_of.at[i->name].comp == comp)
    return SCAN_ERROR(&p->s, t.at, t.at + t.len, E_GRAPH_NAME, "'%s' is defined twice", sym_text(i->name));
  p->instr_of.at[i->name] = (NameEntry){comp, {index, i->leaf, i->shape}};
  return true;
}

/* `[shape] name{#index}`: an operand, perhaps an element of a tuple. */
static bool parse_operand(Parser *p) {
  Scan *s = &p->s;
  Text t;
  const HloShape *given = NULL;
  scan_space(s);
  const char *lo = s->p;
  if (*lo == '(') {
    if (!(given = shape_parse(p, 0))) return false;
  } else if (*lo != '%') {
    const char *q = lo;
    while (SCAN_IS(*q, SCAN_NAME)) q++;
    if ((*q == '[' || *q == '(') && !(given = shape_parse(p, 0))) return false;
  }
  scan_try(s, '%');
  if (!scan_name(s, &t, "an operand")) return false;
  HloOperand o;
  if (!find_instr(p, t, &o)) return false;
  while (*s->p == '#') {
    int64_t k;
    s->p++;
    if (!scan_int(s, &k)) return false;
    if (!o.shape->tuple || k < 0 || k >= o.shape->n_parts)
      return SCAN_ERROR(s, lo, s->p, E_SHAPE, "the operand has no element %lld", (long long)k);
    o.leaf += o.shape->offsets[k];
    o.shape = o.shape->parts[k];
  }
  if (given && !hlo_shape_equal(given, o.shape))
    return SCAN_ERROR(s, lo, s->p, E_SHAPE, "'%.*s' is defined with another shape", (int)t.len, t.at);
  vec_push(&p->m->operands, o);
  return true;
}

static bool parse_operands(Parser *p, HloInstr *i) {
  Scan *s = &p->s;
  i->first_arg = (uint32_t)p->m->operands.len;
  for (; !scan_try(s, ')'); i->n_args++) {
    if (i->n_args && !scan_expect(s, ',', "between operands")) return false;
    if (!parse_operand(p)) return false;
  }
  int least = opcodes[i->opcode].least, most = opcodes[i->opcode].most;
  if ((int64_t)i->n_args >= least && (most < 0 || (int64_t)i->n_args <= most)) return true;
  return SCAN_ERROR(s, s->p - 1, s->p, E_SHAPE, "%s has %u operand%s, not %s%d", hlo_opcode_text(i->opcode), i->n_args,
                    i->n_args == 1 ? "" : "s", most < 0 ? "at least " : "", least);
}

/* "all-reduce" as the operator's name "all_reduce". */
static Sym operator_name(Parser *p, int known, Text t) {
  if (known >= 0) return p->op_name[known];
  char *copy = arena_strdup(p->arena, t.at, t.len);
  for (char *c = copy; *c; c++)
    if (*c == '-' || *c == '.') *c = '_';
  return sym(copy);
}

static bool keep_attrs(Parser *p, HloInstr *i) {
  Attr *a = p->attr_list.at;
  size_t n = p->attr_list.len;
  for (size_t k = 1; k < n; k++) /* by name, so that their order in the text does not matter */
    for (size_t j = k; j && a[j].name < a[j - 1].name; j--) {
      Attr t = a[j];
      a[j] = a[j - 1];
      a[j - 1] = t;
    }
  i->n_attrs = (uint16_t)n;
  i->attrs = n ? arena_copy(p->arena, a, n * sizeof *a) : NULL;
  return true;
}

/* A custom call that is no function of its operands; annotations are none, whatever they say. */
static bool has_effect(Parser *p) {
  const Attr *effect = attrs_find(p, HA_CUSTOM_CALL_HAS_SIDE_EFFECT), *target = attrs_find(p, HA_CUSTOM_CALL_TARGET);
  return effect && effect->i && !(target && custom_annotates(sym_text(target->s)));
}

/* One instruction; it is added to the module even if it is wrong, so that its name is known. */
static bool parse_instr(Parser *p, HloInstr *i, bool *root) {
  Scan *s = &p->s;
  Text name, opcode;
  if (!scan_name(s, &name, "an instruction")) return false;
  if ((*root = TEXT_IS(name, "ROOT"))) {
    scan_try(s, '%');
    if (!scan_name(s, &name, "an instruction")) return false;
  }
  i->at = (uint32_t)(name.at - s->text);
  i->line = line_of(p, name.at);
  prefetch_next(p);
  i->name = sym_n(name.at, name.len);
  if (!scan_expect(s, '=', "behind the name of an instruction") || !(i->shape = shape_parse(p, 0))) return false;
  i->layout = p->layout ? (uint32_t)(p->layout - s->text) : 0;
  i->leaf = (uint32_t)p->n_leaves;
  p->n_leaves += i->shape->n_leaves;
  if (p->n_leaves > INT32_MAX) return SCAN_ERROR(s, name.at, s->p, E_SIZE, "the computation has too many values");
  if (!scan_name(s, &opcode, "an operator")) return false;
  p->complex = 0;
  int known = words_find(&p->opcodes, opcode);
  i->opcode = (uint16_t)(known < 0 ? HLO_UNKNOWN : known);
  i->op = operator_name(p, known, opcode);
  HloClass c = hlo_opcode_class(i->opcode);
  if (!scan_expect(s, '(', "behind an operator")) return false;
  if (c == C_PARAMETER) {
    if (!scan_int(s, &i->number) || !scan_expect(s, ')', "behind the number of a parameter")) return false;
  } else if (c == C_CONSTANT) {
    if (!literal_parse(p, i)) return false;
  } else if (!parse_operands(p, i)) {
    return false;
  }
  p->devices = NULL;
  if (!attrs_parse(p, i)) return false;
  i->devices = p->devices;
  if (p->complex) {
    attrs_add(p, (Attr){.name = sym("value"), .kind = ATTR_SYM, .s = p->complex});
    i->op = sym("complex_constant");
    i->opcode = HLO_UNKNOWN;
    return keep_attrs(p, i);
  }
  if (c == C_PARAMETER || c == C_CONSTANT) return true;
  if (c == C_DEVICE || c == C_COLLECTIVE || c == C_START || c == C_EXCHANGE || c == C_UNIQUE || c == C_REFUSE ||
      has_effect(p))
    p->comp->devices = true;
  if (p->unknown_attr && (c == C_COLLECTIVE || c == C_START || c == C_EXCHANGE))
    return INSTR_ERROR(p, i, E_UNSUPPORTED, "a collective with attribute '%s' is not read", sym_text(p->unknown_attr));
  if (!lower_instr(p, i)) return false;
  if (p->unknown_attr && known >= 0 && (c == C_ELEMENTWISE || c == C_RESULTS))
    i->op = sym(arena_printf(p->arena, "%s with %s", sym_text(i->op), sym_text(p->unknown_attr)));
  return keep_attrs(p, i);
}

/* Parameters by number: each once, none missing. */
static bool number_params(Parser *p) {
  HloComp *c = p->comp;
  c->n_params = (uint32_t)p->params.len;
  uint32_t *at = ARENA_ARRAY(p->arena, uint32_t, c->n_params);
  for (size_t k = 0; k < p->params.len; k++) {
    uint32_t i = p->params.at[k];
    const HloInstr *x = hlo_instr(p->m, c, i);
    if (x->number < 0 || x->number >= c->n_params)
      return INSTR_ERROR(p, x, E_GRAPH_NAME, "parameter %lld of a computation with %u parameters", (long long)x->number,
                         c->n_params);
    if (at[x->number]) return INSTR_ERROR(p, x, E_GRAPH_NAME, "parameter %lld is given twice", (long long)x->number);
    at[x->number] = i + 1;
  }
  for (uint32_t k = 0; k < c->n_params; k++) at[k]--;
  c->params = at;
  return true;
}

/* `(p: f32[8], q: f32[]) -> f32[8]`, which repeats what the instructions say. */
static bool skip_signature(Parser *p) {
  Scan *s = &p->s;
  scan_space(s);
  if (*s->p != '(') return true;
  if (!scan_balanced(s) || !scan_expect(s, '-', "behind the parameters")) return false;
  if (!scan_expect(s, '>', "behind the parameters")) return false;
  scan_space(s);
  if (*s->p == '(') return scan_balanced(s);
  while (*s->p && *s->p != ']' && *s->p != '\n') s->p++;
  if (*s->p == ']') s->p++;
  if (*s->p == '{') return scan_balanced(s);
  return true;
}

static void parse_body(Parser *p) {
  Scan *s = &p->s;
  HloModule *m = p->m;
  bool have_root = false;
  while (!scan_try(s, '}')) {
    if (!*s->p) {
      if (!s->errors) SCAN_ERROR(s, s->p, s->p, E_GRAPH_SYNTAX, "the text ends within computation '%s'",
                                 sym_text(p->comp->name));
      return;
    }
    const char *lo = s->p;
    HloInstr i = {0};
    bool root = false;
    scan_try(s, '%');
    bool ok = parse_instr(p, &i, &root);
    if (i.shape) {
      if (root && have_root) SCAN_ERROR(s, lo, s->p, E_GRAPH_NAME, "the computation has two roots");
      if (root) p->comp->root = p->comp->n;
      have_root |= root;
      add_instr_name(p, (Text){s->text + i.at, (uint32_t)sym_len(i.name)}, &i, p->comp->n);
      if (i.opcode == HLO_PARAMETER) vec_push(&p->params, p->comp->n);
      vec_push(&m->instrs, i);
      if (i.ids != IDS_NONE || hlo_opcode_class(i.opcode) == C_DEVICE)
        vec_push(&m->reads_devices, (uint32_t)m->instrs.len - 1);
      p->comp->n++;
    }
    if (!ok) {
      if (s->errors >= MAX_ERRORS) return;
      if (s->p == lo || s->p[-1] != '\n') scan_line(s);
    }
  }
  if (!p->comp->n) {
    SCAN_ERROR(s, s->p - 1, s->p, E_GRAPH_SYNTAX, "computation '%s' is empty", sym_text(p->comp->name));
    return;
  }
  if (!have_root) p->comp->root = p->comp->n - 1;
  p->comp->n_leaves = (uint32_t)p->n_leaves;
  if (!s->errors) number_params(p);
  if (!s->errors) p->comp->reducer = hlo_comp_reducer(m, p->comp);
}

static bool parse_computation(Parser *p, Text name, bool entry) {
  Scan *s = &p->s;
  HloModule *m = p->m;
  Sym n = sym_n(name.at, name.len);
  if (!skip_signature(p) || !scan_expect(s, '{', "before the instructions of a computation")) return false;
  while (p->comp_of.len <= n) vec_push(&p->comp_of, 0);
  if (p->comp_of.at[n])
    return SCAN_ERROR(s, name.at, name.at + name.len, E_GRAPH_NAME, "computation '%s' is defined twice", sym_text(n));
  if (entry && m->entry != NO_COMP)
    return SCAN_ERROR(s, name.at, name.at + name.len, E_GRAPH_NAME, "the module has two entries");
  vec_push(&m->comps, (HloComp){.name = n, .first = (uint32_t)m->instrs.len});
  p->comp = &vec_last(&m->comps);
  p->n_leaves = 0;
  vec_clear(&p->params);
  parse_body(p);
  p->comp_of.at[n] = (uint32_t)m->comps.len;
  if (entry) m->entry = (uint32_t)m->comps.len - 1;
  if (s->errors >= MAX_ERRORS) return false;
  while (scan_try(s, ',')) {
    Text t;
    if (!scan_name(s, &t, "an attribute of the computation") ||
        !scan_expect(s, '=', "behind the name of an attribute") ||
        !scan_value(s, &t))
      return false;
  }
  return true;
}

/* `HloModule name, attr=value, ..` */
static bool parse_header(Parser *p) {
  Scan *s = &p->s;
  Text t, v;
  if (!scan_name(s, &t, "the name of the module")) return false;
  while (scan_try(s, ',')) {
    if (!scan_name(s, &t, "an attribute of the module") || !scan_expect(s, '=', "behind the name of an attribute"))
      return false;
    int64_t *n = TEXT_IS(t, "num_partitions")  ? &p->m->n_partitions
                 : TEXT_IS(t, "replica_count") ? &p->m->n_replicas
                                               : NULL;
    if (!n) {
      if (!scan_value(s, &v)) return false;
      continue;
    }
    if (!scan_int(s, n)) return false;
    if (*n < 1 || *n > MAX_DEVICES) return SCAN_ERROR(s, t.at, s->p, E_SIZE, "not a possible number of devices");
  }
  return true;
}

static bool is_table(Text t) {
  return TEXT_IS(t, "FileNames") || TEXT_IS(t, "FunctionNames") || TEXT_IS(t, "FileLocations") ||
         TEXT_IS(t, "StackFrames");
}

static bool parse_module(Parser *p) {
  Scan *s = &p->s;
  bool header = false;
  for (;;) {
    scan_space(s);
    if (!*s->p) break;
    if (*s->p == '#') { /* a line for a test runner */
      scan_line(s);
      continue;
    }
    Text t;
    bool percent = scan_try(s, '%'), entry = false;
    if (!scan_name(s, &t, "a computation")) return false;
    if (!percent && TEXT_IS(t, "HloModule")) {
      if (header || p->m->comps.len) return SCAN_ERROR(s, t.at, s->p, E_GRAPH_SYNTAX, "the file holds a second module");
      header = true;
      if (!parse_header(p)) return false;
      continue;
    }
    scan_space(s);
    if (!percent && is_table(t) && *s->p != '(' && *s->p != '{') {
      if (!places_parse(p, t)) return false;
      continue;
    }
    if (!percent && TEXT_IS(t, "ENTRY")) {
      entry = true;
      scan_try(s, '%');
      if (!scan_name(s, &t, "the entry computation")) return false;
    }
    if (!parse_computation(p, t, entry)) return false;
  }
  if (!p->m->comps.len && !s->errors) return SCAN_ERROR(s, s->p, s->p, E_GRAPH_SYNTAX, "the text holds no computation");
  if (p->m->entry == NO_COMP) p->m->entry = (uint32_t)p->m->comps.len - 1;
  return !s->errors;
}

static void parser_init(Parser *p, size_t len) {
  words_init(&p->opcodes, opcode_texts, HLO_UNKNOWN);
  words_init(&p->attrs, attr_texts, HLO_N_ATTRS);
  words_init(&p->dtypes, dtype_texts, DT_COUNT);
  vec_reserve(&p->m->operands, len / 64 + 64); /* a guess: memory that is not used is not touched */
  vec_reserve(&p->m->instrs, len / 128 + 64);
  vec_reserve(&p->ints, 64);
  vec_reserve(&p->rats, 64);
  vec_reserve(&p->parts, 64);
  vec_reserve(&p->attr_list, 64);
  vec_reserve(&p->called, 64);
  for (int k = 0; k < HLO_N_ATTRS; k++) p->attr_name[k] = sym(attr_texts[k]);
  for (int k = 0; k < HLO_UNKNOWN; k++) {
    Text t = {opcode_texts[k], (uint32_t)strlen(opcode_texts[k])};
    p->op_name[k] = operator_name(p, -1, t);
  }
}

static void parser_free(Parser *p) {
  textmap_free(&p->shapes);
  textmap_free(&p->groups);
  textmap_free(&p->tails);
  vec_free(&p->instr_of);
  vec_free(&p->comp_of);
  vec_free(&p->params);
  vec_free(&p->ints);
  vec_free(&p->rats);
  vec_free(&p->parts);
  vec_free(&p->attr_list);
  vec_free(&p->called);
  vec_free(&p->stamps);
  vec_free(&p->warned);
  places_free(&p->places);
  vec_free(&p->m->instrs);
  vec_free(&p->m->operands);
  vec_free(&p->m->reads_devices);
  vec_free(&p->m->comps);
}

Graph *hlo_read(Diags *diags, uint32_t source, const HloOptions *options) {
  const Source *src = scan_source(diags, source);
  if (!src) return NULL;
  Graph *g = graph_new();
  g->numbered = true;
  HloModule m = {.graph = g, .text = src->text, .constant = sym("constant"), .entry = NO_COMP};
  Parser p = {.s = {src->text, src->text, diags, source, 0}, .m = &m, .arena = &g->arena};
  p.line = 1;
  p.line_end = strchr(src->text, '\n');
  g->path = sym(src->path);
  g->source = source;
  parser_init(&p, src->len);
  bool ok = parse_module(&p) && devices_resolve(&p, options);
  g->n_read = m.instrs.len;
  ok = ok && hlo_flatten(&m, diags, source, options);
  parser_free(&p);
  if (ok) pairs_apply(g);
  if (ok) return g;
  graph_free(g);
  return NULL;
}
