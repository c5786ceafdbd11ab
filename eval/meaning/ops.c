/* A definition's expression is walked once.  Every entry of a read's bracket says something about two indices: the one
 * that is read at, and the one whose place it is; what a name hears from all of them together is its fact.  A reduction
 * leaves a partial result only if nothing but sums (for max: maxima) lies between it and the whole expression. */
#include "eval/meaning/ops.h"

#include <string.h>

#include "eval/graph/graph.h"

typedef enum Under { UNDER_SUM = 1, UNDER_MAX = 2, UNDER_MIN = 4, UNDER_ADDENDS = 8 } Under;

typedef struct Name {
  OpsIndex index;
  unsigned heard; /* bits of OpsFact */
  bool bound;     /* by a reduction so far */
} Name;

/* An index introduced by a reduction, while its body is walked. */
typedef struct Scope {
  Sym name;
  unsigned path;
  const struct Scope *outer;
} Scope;

typedef struct Facts {
  const Library *lib;
  const AstOp *op;
  Vec(Name) names;
  uint32_t depth;
} Facts;

static const char *const facts[] = {
#define OPS(id, text, meaning) text,
#include "eval/meaning/ops.def"
#undef OPS
};

const char *ops_text(OpsFact f) { return facts[f]; }

static Name *name_of(Facts *f, Sym name) {
  for (size_t i = 0; i < f->names.len; i++)
    if (f->names.at[i].index.name == name) return &f->names.at[i];
  return NULL;
}

static void hear(Facts *f, Sym name, OpsFact fact) {
  Name *n = name_of(f, name);
  if (n) n->heard |= 1u << fact;
}

static void collect(Facts *f, const AstPattern *p, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t d = 0; d < p[i].n; d++)
      if (!name_of(f, p[i].digit[d].name))
        vec_push(&f->names, (Name){.index = {p[i].digit[d].name, p[i].digit[d].form == FORM_GROUP, OPS_FREE, false}});
}

static const AstParam *param_of(const Facts *f, Sym name) {
  for (uint32_t i = 0; i < f->op->n_params; i++)
    if (f->op->params[i].name == name) return &f->op->params[i];
  return NULL;
}

/* What reading at an index alone says of it. */
static OpsFact alone(Facts *f, Sym name, const Scope *s) {
  for (; s; s = s->outer) {
    if (s->name != name) continue;
    Name *n = name_of(f, name);
    if (n && s->path & UNDER_ADDENDS) n->index.addends = true;
    return s->path & UNDER_SUM ? OPS_SUM : s->path & UNDER_MAX ? OPS_MAX : s->path & UNDER_MIN ? OPS_MIN : OPS_WHOLE;
  }
  return name == f->op->over ? OPS_DEVICE : name_of(f, name) ? OPS_FREE : OPS_WHOLE;
}

static void walk(Facts *f, const AstExpr *x, unsigned path, const Scope *s);

/* Entry `x` of a bracket at a pattern. */
static void entry(Facts *f, const AstPattern *p, const AstExpr *x, const Scope *s) {
  if (x->kind == EX_TUPLE && p->n == x->n_args) {
    for (uint32_t d = 0; d < p->n; d++) {
      AstPattern digit = {.n = 1, .digit = &p->digit[d]};
      entry(f, &digit, x->args[d], s);
    }
    return;
  }
  bool plain = p->n == 1 && (x->kind == EX_NAME || x->kind == EX_GROUP);
  OpsFact fact = plain ? alone(f, x->name, s) : OPS_WHOLE;
  for (uint32_t d = 0; d < p->n; d++) hear(f, p->digit[d].name, fact);
  if (plain) hear(f, x->name, fact);
  else walk(f, x, 0, s);
}

static void flat(Facts *f, const AstParam *p, const AstExpr *x) {
  for (uint32_t i = 0; i < p->n_dims; i++)
    for (uint32_t d = 0; d < p->dims[i].n; d++) hear(f, p->dims[i].digit[d].name, OPS_DIGIT);
  for (uint32_t i = 0; i < x->n_args; i++) hear(f, x->args[i]->name, OPS_DIGIT);
}

static void read_of(Facts *f, const AstExpr *x, const Scope *s) {
  const AstParam *p = param_of(f, x->name);
  for (uint32_t i = 0; i < x->n_devices; i++) hear(f, x->devices[i]->name, OPS_DEVICE);
  if (!p) return;
  if (x->n_args == 1 && x->args[0]->kind == EX_BUILTIN && x->args[0]->builtin == BUILTIN_FLAT) {
    flat(f, p, x->args[0]);
    return;
  }
  for (uint32_t i = 0; i < x->n_args && i < p->n_dims; i++) entry(f, &p->dims[i], x->args[i], s);
}

static void reduction(Facts *f, const AstExpr *x, unsigned path, const Scope *s) {
  unsigned keep = x->kind == EX_SUM ? UNDER_SUM : x->kind == EX_MAX ? UNDER_MAX : x->kind == EX_MIN ? UNDER_MIN : 0;
  Scope *scopes = xcalloc(x->n_binders + 1, sizeof *scopes);
  for (uint32_t i = 0; i < x->n_binders; i++) {
    const AstIndex *b = &x->binders[i];
    if (b->form == FORM_OPERANDS) continue;
    scopes[i] = (Scope){b->name, path & (keep | UNDER_ADDENDS), s};
    s = &scopes[i];
    Name *n = name_of(f, b->name);
    if (!n) continue;
    if (n->bound) n->heard |= 1u << OPS_WHOLE; /* two reductions over it: the result is no sum of one */
    n->bound = true;
  }
  walk(f, x->args[0], path & (keep | UNDER_ADDENDS), s);
  free(scopes);
}

/* What is left of the path below argument i of a node. */
static unsigned below(const AstExpr *x, uint32_t i, unsigned path) {
  switch ((AstKind)x->kind) {
    case EX_ADD:
    case EX_SUB: return path & UNDER_SUM ? UNDER_SUM | UNDER_ADDENDS : 0;
    case EX_NEG:
    case EX_MUL: return path & (UNDER_SUM | UNDER_ADDENDS);
    case EX_DIV: return i == 0 ? path & (UNDER_SUM | UNDER_ADDENDS) : 0;
    case EX_IF: return i ? path : 0;
    case EX_LET: return i ? path : 0;
    case EX_CALL:
      return path & (x->name == sym("maximum") ? UNDER_MAX : x->name == sym("minimum") ? UNDER_MIN : 0);
    default: return 0;
  }
}

static void walk(Facts *f, const AstExpr *x, unsigned path, const Scope *s) {
  if (f->depth > AST_MAX_DEPTH) return;
  f->depth++;
  switch ((AstKind)x->kind) {
    case EX_NAME:
    case EX_GROUP: {
      OpsFact fact = alone(f, x->name, s);
      hear(f, x->name, fact == OPS_FREE ? OPS_POSITION : fact == OPS_DEVICE ? OPS_DEVICE : fact);
      break;
    }
    case EX_READ: read_of(f, x, s); break;
    case EX_SUM: case EX_MAX: case EX_MIN: reduction(f, x, path, s); break;
    case EX_ALL: walk(f, x->args[0], 0, s); break;
    case EX_BUILTIN:
      if (x->builtin == BUILTIN_INSIDE) walk(f, x->args[0], 0, s);
      break;
    case EX_IS: break;
    default:
      for (uint32_t i = 0; i < x->n_args; i++) walk(f, x->args[i], below(x, i, path), s);
  }
  f->depth--;
}

/* One fact from all that was heard. */
static OpsFact settle(unsigned heard) {
  unsigned b = heard & ~(1u << OPS_FREE);
  if (!b) return OPS_FREE;
  for (int k = OPS_BATCH; k < OPS_N_FACTS; k++)
    if (b == 1u << k) return k >= OPS_SUM && k < OPS_WHOLE && heard != b ? OPS_WHOLE : (OpsFact)k;
  return b == (1u << OPS_DIGIT | 1u << OPS_POSITION) ? OPS_POSITION : OPS_WHOLE;
}

static void row(const Library *lib, const AstItem *item, OpsRow *out, Arena *a) {
  const AstOp *op = &item->op;
  Facts f = {.lib = lib, .op = op};
  for (uint32_t p = 0; p < op->n_params; p++) collect(&f, op->params[p].dims, op->params[p].n_dims);
  for (uint32_t r = 0; r < op->n_results; r++) collect(&f, op->results[r].dims, op->results[r].n_dims);
  for (size_t i = 0; op->opaque && i < f.names.len; i++) f.names.at[i].heard = 1u << OPS_WHOLE;
  for (uint32_t i = 0; i < op->n_batch; i++) {
    Name *n = name_of(&f, op->batch[i].name);
    if (n) n->heard = 1u << OPS_BATCH;
  }
  for (uint32_t r = 0; r < op->n_results; r++)
    if (op->results[r].body) walk(&f, op->results[r].body, UNDER_SUM | UNDER_MAX | UNDER_MIN, NULL);
  OpsIndex *indices = ARENA_ARRAY(a, OpsIndex, f.names.len);
  for (size_t i = 0; i < f.names.len; i++) {
    indices[i] = f.names.at[i].index;
    indices[i].fact = (uint8_t)settle(f.names.at[i].heard);
    if (indices[i].fact != OPS_SUM) indices[i].addends = false;
  }
  *out = (OpsRow){item, (uint32_t)f.names.len, indices};
  vec_free(&f.names);
}

OpsRow *ops_table(const Library *lib, Sym op, uint32_t *n, Arena *a) {
  uint32_t n_names, total = 0;
  const Sym *names = library_names(lib, &n_names);
  if (op) names = &op, n_names = 1;
  for (uint32_t i = 0; i < n_names; i++) {
    uint32_t k;
    library_ops(lib, names[i], &k);
    total += k;
  }
  OpsRow *rows = ARENA_ARRAY(a, OpsRow, total);
  *n = 0;
  for (uint32_t i = 0; i < n_names; i++) {
    uint32_t k;
    const AstItem *const *ops = library_ops(lib, names[i], &k);
    for (uint32_t j = 0; j < k; j++) row(lib, ops[j], &rows[(*n)++], a);
  }
  return rows;
}

/* ---- Output ---- */

/* The definition as written, without comments, runs of white space as one space. */
static void put_definition(const AstItem *item, const Sources *sources, FILE *out, bool json) {
  const Source *s = sources_get(sources, item->span.source);
  if (!s) return;
  bool space = false;
  for (uint32_t i = item->span.lo; i < item->span.hi && i < s->len; i++) {
    char c = s->text[i];
    if (c == '/' && s->text[i + 1] == '/')
      while (i < item->span.hi && s->text[i] != '\n') i++;
    if (i == item->span.hi) break;
    c = s->text[i];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      space = true;
      continue;
    }
    if (space) fputc(' ', out);
    space = false;
    if (json && (c == '"' || c == '\\')) fputc('\\', out);
    fputc(c, out);
  }
}

uint32_t ops_print(const Library *lib, Sym op, const Sources *sources, FILE *out) {
  Arena a = {0};
  uint32_t n;
  const OpsRow *rows = ops_table(lib, op, &n, &a);
  for (uint32_t i = 0; i < n; i++) {
    put_definition(rows[i].item, sources, out, false);
    fputc('\n', out);
    for (int fact = 0; fact < OPS_N_FACTS; fact++) {
      int m = 0;
      for (uint32_t k = 0; k < rows[i].n_indices; k++) {
        const OpsIndex *x = &rows[i].indices[k];
        if (x->fact != fact) continue;
        if (!m++) fprintf(out, "    %-9s", facts[fact]);
        fprintf(out, " %s%s%s", x->group ? "*" : "", sym_text(x->name), x->addends ? " (beside other addends)" : "");
      }
      if (m) fputc('\n', out);
    }
  }
  arena_free(&a);
  return n;
}

void ops_json(const Library *lib, Sym op, const Sources *sources, FILE *out) {
  Arena a = {0};
  uint32_t n;
  const OpsRow *rows = ops_table(lib, op, &n, &a);
  fputs("[", out);
  for (uint32_t i = 0; i < n; i++) {
    fprintf(out, "%s\n  {\"op\": \"%s\", \"definition\": \"", i ? "," : "", sym_text(rows[i].item->name));
    put_definition(rows[i].item, sources, out, true);
    fputs("\", \"indices\": [", out);
    for (uint32_t k = 0; k < rows[i].n_indices; k++) {
      const OpsIndex *x = &rows[i].indices[k];
      fprintf(out, "%s{\"name\": \"%s\", \"group\": %s, \"fact\": \"%s\"%s}", k ? ", " : "", sym_text(x->name),
              x->group ? "true" : "false", facts[x->fact], x->addends ? ", \"addends\": true" : "");
    }
    fputs("]}", out);
  }
  fputs("\n]\n", out);
  arena_free(&a);
}
