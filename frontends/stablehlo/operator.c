/* One operator: the generic form, and one loop for nearly all pretty forms.
 *
 *     %0 = "stablehlo.gather"(%a, %b) <{..}> ({ ^bb0(..): .. }) {..} : (t, t) -> t loc(..)
 *     %1:2 = chlo.top_k(%a, k = 2) : t -> (t, t)
 * A pretty form is a sequence of operands, words, `key = value`, brackets and symbols before the colon; which of
 * them an operator needs is asked later, so the loop keeps what it finds.  Parentheses and commas only separate. */
#include "frontends/stablehlo/flow.h"
#include "frontends/stablehlo/parser.h"

static void add(Reader *r, const char *name, Text value) {
  vec_push(&r->attrs, (MlirAttr){{name, (uint32_t)strlen(name)}, value});
}

/* A word, a bracket, or `[0] x [1]` and the like, up to what cannot continue it. */
static bool pretty_value(Reader *r, Text *out) {
  Scan *s = r->s;
  scan_space(s);
  const char *lo = s->p, *end = lo;
  for (bool more = true; more;) {
    char c = *s->p;
    if (c == '"') {
      Text t;
      if (!scan_string(s, &t)) return false;
    } else if (c == '[' || c == '<' || (c == '{' && s->p == lo)) {
      if (!text_skip(s)) return false;
    } else if (c == '-' && s->p[1] == '>') {
      s->p += 2;
    } else if (SCAN_IS(c, SCAN_NAME) || c == '#' || c == '@' || c == '!') {
      s->p++;
      while (SCAN_IS(*s->p, SCAN_NAME) && !(s->p[0] == '-' && s->p[1] == '>')) s->p++;
    } else {
      break;
    }
    end = s->p;
    const char *q = end;
    while (*q == ' ') q++;
    more = q == end || (q[0] == 'x' && !SCAN_IS(q[1], SCAN_NAME)) || (end[-1] == 'x' && *q == '[');
    if (more) s->p = q;
  }
  *out = (Text){lo, (uint32_t)(end - lo)};
  s->p = end;
  return end > lo || SCAN_ERROR(s, lo, *lo ? lo + 1 : lo, E_GRAPH_SYNTAX, "expected a value");
}

/* A word in a pretty form, behind which `= value` or `<..>` may stand. */
static bool pretty_word(Reader *r, Text op) {
  Scan *s = r->s;
  Text word, value;
  if (!scan_name(s, &word, "a word")) return false;
  if (*s->p == '<' && !strncmp(word.at, "dense", 5)) {
    if (!text_skip(s)) return false;
    add(r, ATTR_VALUE, (Text){word.at, (uint32_t)(s->p - word.at)});
    return true;
  }
  scan_space(s);
  if (TEXT_IS(word, "init") && *s->p == ':') return s->p++, true;
  if (*s->p == '=') {
    s->p++;
    if (!pretty_value(r, &value)) return false;
    vec_push(&r->attrs, (MlirAttr){word, value});
    return !TEXT_IS(word, "manual_axes") || !text_equals(op, "sdy.manual_computation") || special_manual(r);
  }
  if (TEXT_IS(word, "attributes") && *s->p == '{') return reader_dict(r);
  if (TEXT_IS(word, "applies")) {
    if (!scan_name(s, &word, "an operator")) return false;
    add(r, ATTR_APPLIES, word);
    return true;
  }
  add(r, ATTR_WORD, word);
  return true;
}

static bool pretty(Reader *r, Text op) {
  Scan *s = r->s;
  int parens = 0;
  for (;;) {
    scan_space(s);
    char c = *s->p;
    const char *lo = s->p;
    if (c == '%') {
      if (!reader_use(r)) return false;
    } else if (c == ',' || c == '(' || (c == ')' && parens > 0)) {
      parens += c == '(' ? 1 : c == ')' ? -1 : 0;
      s->p++;
    } else if (c == '@') {
      s->p++;
      Text t;
      if (*s->p == '"' ? !scan_string(s, &t) : !scan_name(s, &t, "a symbol")) return false;
      add(r, ATTR_SYMBOL, t);
    } else if (c == '[' || c == '<') {
      if (!text_skip(s)) return false;
      add(r, c == '[' ? ATTR_RANGES : ATTR_ANGLE, (Text){lo, (uint32_t)(s->p - lo)});
    } else if (c == '{') {
      if (!reader_dict(r)) return false;
    } else if (c == '"') {
      Text t;
      if (!scan_string(s, &t)) return false;
      add(r, ATTR_VALUE, t);
    } else if (SCAN_IS(c, SCAN_NAME) && strncmp(lo, "loc(", 4)) {
      if (!pretty_word(r, op)) return false;
    } else {
      break;
    }
  }
  return (!parens || scan_missing(s, ')', "in an operator")) && reader_types(r);
}

/* Behind the quoted name. */
static bool generic(Reader *r) {
  Scan *s = r->s;
  if (!scan_expect(s, '(', "before the operands")) return false;
  for (bool first = true; !scan_try(s, ')'); first = false)
    if ((!first && !scan_expect(s, ',', "between operands")) || (scan_space(s), !reader_use(r))) return false;
  scan_space(s);
  if (*s->p == '[')
    return SCAN_ERROR(s, s->p, s->p + 1, E_UNSUPPORTED, "jumps between blocks are not read");
  if (scan_try(s, '<') && !((scan_space(s), reader_dict(r)) && scan_expect(s, '>', "behind the properties")))
    return false;
  if (scan_try(s, '('))
    for (bool first = true; !scan_try(s, ')'); first = false) {
      if (!first && !scan_expect(s, ',', "between regions")) return false;
      size_t undo = r->undo.len;
      if (!reader_region(r, 0, 0)) return false;
      reader_leave(r, undo);
    }
  scan_space(s);
  if (*s->p == '{' && !reader_dict(r)) return false;
  return reader_types(r);
}

static bool read_results(Reader *r, Results *out) {
  Scan *s = r->s;
  if (*s->p != '%') return true;
  do {
    Text name;
    int64_t n = 1;
    if (!reader_name(r, &name)) return false;
    if (scan_try(s, ':') && !scan_int(s, &n)) return false;
    if (n < 0 || n > 100000 || out->n + n > 100000)
      return SCAN_ERROR(s, name.at, s->p, E_SIZE, "an operator has too many results");
    vec_push(&out->names, name);
    vec_push(&out->counts, (uint32_t)n);
    out->n += (uint32_t)n;
  } while (scan_try(s, ','));
  return scan_expect(s, '=', "behind the results of an operator");
}

/* Types of the operands must be those of the values; types of the results. */
static bool apply_types(Reader *r, MlirOp *op, Text name) {
  Scan *s = r->s;
  const char *lo = name.at, *hi = name.at + name.len;
  const MlirType **types = NULL;
  size_t n_in = r->in.len, n = 0;
  if (r->arrow) {
    if (n_in != op->n_args && n_in != 1)
      return SCAN_ERROR(s, lo, hi, E_SHAPE, "%u operands and %zu types of operands", op->n_args, n_in);
    for (uint32_t k = 0; k < op->n_args && k < n_in; k++)
      if (!mlir_type_equal(r->in.at[k], r->values.at[op->args[k]]))
        return SCAN_ERROR(s, lo, hi, E_SHAPE, "operand %u is of another type than its definition", k);
    types = r->out.at, n = r->out.len;
  } else if (op->n_results == n_in) {
    types = r->in.at, n = n_in;
  } else if (op->n_results == 1 && n_in) {
    types = &vec_last(&r->in), n = 1;
  } else if (!op->n_results && n_in == op->n_args) {
    for (uint32_t k = 0; k < op->n_args; k++)
      if (!mlir_type_equal(r->in.at[k], r->values.at[op->args[k]]))
        return SCAN_ERROR(s, lo, hi, E_SHAPE, "operand %u is of another type than its definition", k);
  } else if (!op->n_results) {
    n = 0;
  }
  if (n != op->n_results && !(op->n_results == 0 && n <= 100000))
    return SCAN_ERROR(s, lo, hi, E_SHAPE, "%u results and %zu types of results", op->n_results, n);
  if (!op->n_results) op->n_results = (uint32_t)n; /* results nobody names */
  op->types = arena_copy(r->a, types, n * sizeof *types);
  op->result = (uint32_t)r->values.len;
  for (size_t k = 0; k < n; k++) reader_value(r, op->types[k]);
  return true;
}

static uint32_t line_of(Reader *r, const char *at) {
  for (const char *p; r->counted < at && (p = memchr(r->counted, '\n', (size_t)(at - r->counted))); r->counted = p + 1)
    r->line++;
  return r->line;
}

static bool read_operator(Reader *r, Results *results) {
  Scan *s = r->s;
  size_t attrs = r->attrs.len, args = r->args.len, regions = r->regions.len, binders = r->binders.len;
  bool plain;
  scan_space(s);
  MlirOp op = {.at = (uint32_t)(s->p - s->text), .line = line_of(r, s->p)};
  Text name;
  if (!read_results(r, results)) return false;
  scan_space(s);
  plain = *s->p == '"';
  if (plain) {
    if (!scan_string(s, &name) || !generic(r)) return false;
  } else {
    if (!scan_name(s, &name, "an operator")) return false;
    if (TEXT_IS(name, "stablehlo.while") ? !special_while(r) : !pretty(r, name)) return false;
  }
  bool loop = !plain && TEXT_IS(name, "stablehlo.while"), reduce = !plain && TEXT_IS(name, "stablehlo.reduce");
  if (reduce) special_pairs(r, args);
  op.op = name;
  op.n_results = results->n;
  op.n_args = (uint32_t)(r->args.len - args);
  op.args = arena_copy(r->a, READER_FROM(r->args, args), op.n_args * sizeof *op.args);
  r->args.len = args;
  if (!apply_types(r, &op, name)) return false;
  if (loop && !special_loop(r, &op, binders)) return false;
  if (reduce && !special_reducer(r, &op, attrs)) return false;
  r->binders.len = binders;
  if (!reader_location(r, &op.where)) return false;
  op.n_attrs = (uint32_t)(r->attrs.len - attrs);
  if (op.n_attrs > MAX_ATTRS)
    return SCAN_ERROR(s, name.at, name.at + name.len, E_LIMIT, "more than %d attributes", MAX_ATTRS);
  op.attrs = arena_copy(r->a, READER_FROM(r->attrs, attrs), op.n_attrs * sizeof *op.attrs);
  r->attrs.len = attrs;
  op.n_regions = (uint32_t)(r->regions.len - regions);
  op.regions = arena_copy(r->a, READER_FROM(r->regions, regions), op.n_regions * sizeof *op.regions);
  r->regions.len = regions;
  uint32_t value = op.result;
  op.name = results->names.len ? sym_n(results->names.at[0].at, results->names.at[0].len) : sym_n(name.at, name.len);
  for (size_t k = 0; k < results->names.len; value += results->counts.at[k++])
    if (!reader_bind(r, results->names.at[k], value, results->counts.at[k])) return false;
  r->m->n_ops++;
  r->m->manual |= TEXT_IS(name, "sdy.manual_computation");
  r->m->tiled |= tiles_call(&op) != TILES_NOTHING;
  if (r->m->n_partitions > 1 && !r->m->talks) r->m->talks = op_talks(op_info(name));
  vec_push(&r->ops, op);
  return true;
}

bool reader_operator(Reader *r) {
  Results results = {0};
  bool ok = read_operator(r, &results);
  vec_free(&results.names);
  vec_free(&results.counts);
  return ok;
}
