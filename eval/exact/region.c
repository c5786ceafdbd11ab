/* region: see region.h.  The text is that of HLO computations: "N{" and, a line each, "LENGTH:OPCODE", the parameter's
 * number, "(INSTRUCTION.LEAF, ..)", shapes, attributes " LENGTH:NAME=..", literal values in hexadecimal. */
#include "eval/exact/region.h"

#include <stdlib.h>
#include <string.h>

#define MAX_LINES 64
#define MAX_ARGS 4

typedef enum RegionOp {
  OP_PARAM, OP_CONSTANT, OP_COMPARE, OP_SELECT, OP_AND, OP_OR, OP_NOT, OP_COPY, OP_TUPLE,
  OP_ADD, OP_SUBTRACT, OP_MAXIMUM, OP_ABS, OP_NEGATE, OP_EXP, OP_LOG1P, /* of no known value */
} RegionOp;

typedef struct Line {
  RegionOp op;
  int64_t number;    /* of a parameter */
  Rat constant;
  char direction[3]; /* of a comparison: "LT" */
  uint32_t n_args, args[MAX_ARGS];
} Line;

struct Region {
  uint32_t n;
  Line lines[MAX_LINES];
};

static const struct {
  const char *name;
  RegionOp op;
  uint32_t n_args;
} ops[] = {
    {"parameter", OP_PARAM, 0}, {"constant", OP_CONSTANT, 0}, {"compare", OP_COMPARE, 2}, {"select", OP_SELECT, 3},
    {"and", OP_AND, 2},         {"or", OP_OR, 2},             {"not", OP_NOT, 1},         {"copy", OP_COPY, 1},
    {"add", OP_ADD, 2},         {"subtract", OP_SUBTRACT, 2}, {"maximum", OP_MAXIMUM, 2}, {"abs", OP_ABS, 1},
    {"negate", OP_NEGATE, 1},   {"exponential", OP_EXP, 1},   {"log_plus_one", OP_LOG1P, 1},
};

/* "7:compare" at *s: whether the counted word is `word`; moves past it if so. */
static bool counted(const char **s, const char *word) {
  char *end;
  unsigned long n = strtoul(*s, &end, 10);
  if (*end != ':' || n != strlen(word) || strncmp(end + 1, word, n) != 0) return false;
  *s = end + 1 + n;
  return true;
}

static bool parse_args(const char **s, Line *l, uint32_t before) {
  if (*(*s)++ != '(') return false;
  while (**s != ')') {
    char *end;
    unsigned long arg = strtoul(*s, &end, 10);
    if (end == *s || strncmp(end, ".0", 2) != 0 || arg >= before || l->n_args == MAX_ARGS) return false;
    l->args[l->n_args++] = (uint32_t)arg;
    *s = end + 2;
    if (**s == ',') ++*s;
    else if (**s != ')') return false;
  }
  ++*s;
  return true;
}

/* What follows the operands: the shape, a scalar, then attributes and literals. */
static bool parse_rest(const char *s, Line *l) {
  const char *rest = strchr(s, ' ');
  if (l->op == OP_TUPLE) return rest == NULL;
  if (strcspn(s, "[") + 2 != (rest ? (size_t)(rest - s) : strlen(s))) return false; /* "f32[]" */
  if (l->op == OP_CONSTANT) {
    char *end;
    if (!rest) return false;
    l->constant = strtoull(rest + 1, &end, 16);
    return *end == 0;
  }
  if (l->op != OP_COMPARE) return rest == NULL;
  const char *text = rest ? rest + 1 : "";
  if (!counted(&text, "direction") || *text != '=') return false;
  const char *name = strrchr(text, '.');
  if (!name) return false;
  for (name++; *name >= '0' && *name <= '9' && name[1] != ':';) name++; /* the attribute's own number */
  if (strncmp(name, "2:", 2) != 0 || strlen(name) != 4) return false;
  memcpy(l->direction, name + 2, 2);
  return true;
}

static bool parse_line(const char *s, Line *l, uint32_t before, uint32_t n_params) {
  if (counted(&s, "tuple")) {
    l->op = OP_TUPLE;
    return parse_args(&s, l, before) && l->n_args <= REGION_MAX_RESULTS;
  }
  for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
    if (!counted(&s, ops[k].name)) continue;
    l->op = ops[k].op;
    if (l->op == OP_PARAM) {
      char *end;
      l->number = strtoll(s, &end, 10);
      s = end;
      if (l->number < 0 || l->number >= n_params) return false;
    }
    return parse_args(&s, l, before) && l->n_args == ops[k].n_args && parse_rest(s, l);
  }
  return false;
}

const Region *region_parse(Sym text, uint32_t n_params, Arena *a) {
  const char *s = strchr(sym_text(text), '{');
  if (!s || strtoul(sym_text(text), NULL, 10) != n_params) return NULL;
  Region *r = ARENA_NEW(a, Region);
  for (s++; *s && *s != '}';) {
    size_t n = strcspn(s, "\n");
    if (s[n] != '\n' || r->n == MAX_LINES) return NULL;
    if (r->n > 0 && r->lines[r->n - 1].op == OP_TUPLE) return NULL; /* only the root */
    if (!parse_line(arena_strdup(a, s, n), &r->lines[r->n], r->n, n_params)) return NULL;
    r->n++;
    s += n + 1;
  }
  return r->n > 0 ? r : NULL;
}

uint32_t region_results(const Region *r) {
  const Line *root = &r->lines[r->n - 1];
  return root->op == OP_TUPLE ? root->n_args : 1;
}

static RegionValue truth(int v) { return (RegionValue){.kind = v < 0 ? REGION_UNKNOWN : REGION_TRUTH, .which = v > 0}; }

static int truth_of(RegionValue v) { return v.kind == REGION_TRUTH ? (int)v.which : -1; }

static RegionValue compared(const Line *l, RegionValue a, RegionValue b, RegionCompare *compare, void *context) {
  if (a.kind < REGION_PARAM || b.kind < REGION_PARAM) return truth(-1);
  int c = a.kind == REGION_PARAM && b.kind == REGION_PARAM && a.which == b.which ? 0 : compare(context, a, b);
  if (c == 2) return truth(-1);
  const char *d = l->direction;
  if (d[0] == 'E') return truth(c == 0);
  if (d[0] == 'N') return truth(c != 0);
  bool strict = d[0] == 'L' ? c < 0 : c > 0;
  return truth(strict || (d[1] == 'E' && c == 0));
}

static RegionValue both(RegionOp op, int a, int b) {
  int absorbing = op == OP_OR;
  if (a == absorbing || b == absorbing) return truth(absorbing);
  return truth(a < 0 || b < 0 ? -1 : !absorbing);
}

RegionValue region_apply(const Region *r, uint32_t k, RegionCompare *compare, void *context) {
  RegionValue v[MAX_LINES];
  for (uint32_t i = 0; i < r->n; i++) {
    const Line *l = &r->lines[i];
    RegionValue x = l->n_args > 0 ? v[l->args[0]] : truth(-1), y = l->n_args > 1 ? v[l->args[1]] : truth(-1);
    switch (l->op) {
      case OP_PARAM: v[i] = (RegionValue){.kind = REGION_PARAM, .which = l->number}; break;
      case OP_CONSTANT: v[i] = (RegionValue){.kind = REGION_CONSTANT, .constant = l->constant}; break;
      case OP_COMPARE: v[i] = compared(l, x, y, compare, context); break;
      case OP_SELECT: v[i] = truth_of(x) < 0 ? truth(-1) : truth_of(x) ? y : v[l->args[2]]; break;
      case OP_AND:
      case OP_OR: v[i] = both(l->op, truth_of(x), truth_of(y)); break;
      case OP_NOT: v[i] = truth(truth_of(x) < 0 ? -1 : !truth_of(x)); break;
      case OP_COPY: v[i] = x; break;
      case OP_TUPLE: return v[l->args[k]];
      default: v[i] = truth(-1);
    }
  }
  return v[r->n - 1];
}

/* The pairs are parameters 0, 1 and 2, 3; which of them is less in either component, in this case. */
typedef struct PairCase {
  int value, index;
} PairCase;

static int compare_case(void *context, RegionValue a, RegionValue b) {
  const PairCase *p = context;
  if (a.kind != REGION_PARAM || b.kind != REGION_PARAM || a.which % 2 != b.which % 2) return 2;
  int c = a.which % 2 ? p->index : p->value;
  return a.which == b.which ? 0 : a.which < b.which ? c : -c;
}

/* The component k of one of the pairs: 0 and 1; either one if they are equal. */
static bool gives(const Region *r, uint32_t k, int64_t pair, PairCase *p) {
  RegionValue v = region_apply(r, k, compare_case, p);
  if (v.kind != REGION_PARAM || v.which % 2 != (int64_t)k) return false;
  return v.which / 2 == pair || (k ? p->index : p->value) == 0;
}

/* What a region of comparisons and choices does depends on the order of its operands alone: all cases are tried. */
static bool picks(const Region *r, int sign) {
  for (int value = -1; value <= 1; value++)
    for (int index = -1; index <= 1; index++) {
      PairCase p = {value, index};
      int64_t pair = value ? value * sign < 0 : index > 0;
      if (!gives(r, 0, pair, &p) || !gives(r, 1, pair, &p)) return false;
    }
  return true;
}

static const Line *operand(const Region *r, const Line *l, uint32_t k) { return &r->lines[l->args[k]]; }

/* op of both parameters, in some order. */
static bool of_both(const Region *r, const Line *l, RegionOp op) {
  if (l->op != op) return false;
  const Line *a = operand(r, l, 0), *b = operand(r, l, 1);
  return a->op == OP_PARAM && b->op == OP_PARAM && a->number + b->number == 1;
}

/* log(1 + exp(-|a - b|)) */
static bool is_rest(const Region *r, const Line *l) {
  static const RegionOp each[] = {OP_LOG1P, OP_EXP, OP_NEGATE, OP_ABS};
  for (size_t k = 0; k < sizeof each / sizeof *each; k++, l = operand(r, l, 0))
    if (l->op != each[k]) return false;
  return of_both(r, l, OP_SUBTRACT);
}

/* max(a, b) + log(1 + exp(-|a - b|)), perhaps chosen because something is not other than itself. */
static bool adds_exponentials(const Region *r) {
  const Line *l = &r->lines[r->n - 1];
  if (l->op == OP_SELECT) {
    const Line *p = operand(r, l, 0);
    if (p->op != OP_COMPARE || strcmp(p->direction, "NE") != 0 || p->args[0] != p->args[1]) return false;
    l = operand(r, l, 2);
  }
  if (l->op != OP_ADD) return false;
  const Line *a = operand(r, l, 0), *b = operand(r, l, 1);
  return (of_both(r, a, OP_MAXIMUM) && is_rest(r, b)) || (of_both(r, b, OP_MAXIMUM) && is_rest(r, a));
}

Sym region_sum(Sym text) {
  Arena scratch = {0};
  const Region *r = region_parse(text, 2, &scratch);
  Sym name = r && region_results(r) == 1 && adds_exponentials(r) ? sym("logaddexp") : 0;
  arena_free(&scratch);
  return name;
}

Sym region_reducer(Sym text) {
  Arena scratch = {0};
  const Region *r = region_parse(text, 4, &scratch);
  bool pairs = r && region_results(r) == 2;
  Sym name = !pairs ? 0 : picks(r, 1) ? sym("largest_pair") : picks(r, -1) ? sym("smallest_pair") : 0;
  arena_free(&scratch);
  return name;
}
