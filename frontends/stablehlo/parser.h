/* State of the StableHLO parser, shared by its files.  See parse.c. */
#ifndef TVR_FRONTENDS_STABLEHLO_PARSER_H
#define TVR_FRONTENDS_STABLEHLO_PARSER_H
#include "frontends/stablehlo/module.h"

/* What a name stands for: values of the function of this serial number. */
typedef struct Name {
  uint32_t func, value, n;
} Name;

typedef struct Undo {
  Sym name;
  Name old;
} Undo;

typedef struct Reader {
  MlirModule *m;
  Scan *s;
  Arena *a;
  Vec(Name) names;  /* by symbol */
  Vec(Undo) undo;   /* what names stood for outside the regions being read */
  uint32_t func;    /* serial number of the function being read */
  Vec(const MlirType *) values; /* of its values */
  Vec(MlirParam) params;        /* of its parameters */
  /* stacks: the operator being read owns what lies above where it began */
  Vec(MlirOp) ops;
  Vec(MlirRegion) regions;
  Vec(MlirAttr) attrs;
  Vec(uint32_t) args;
  Vec(Text) binders; /* names of a loop's values */
  Vec(const MlirType *) in, out; /* types behind the colon of the operator being read */
  bool arrow;
  unsigned depth;
  const char *counted; /* lines before this place */
  uint32_t line;
} Reader;

/* Results of the operator being read: names and how many values each stands for. */
typedef struct Results {
  Vec(Text) names;
  Vec(uint32_t) counts;
  uint32_t n;
} Results;

/* What lies above a place of a stack, which may be empty. */
#define READER_FROM(v, place) ((v).at ? (v).at + (place) : NULL)

static inline bool reader_word(Reader *r, const char *word) {
  size_t n = strlen(word);
  scan_space(r->s);
  if (strncmp(r->s->p, word, n) || SCAN_IS(r->s->p[n], SCAN_NAME)) return false;
  r->s->p += n;
  return true;
}
const MlirType *reader_type(Reader *r);
/* `loc(..)` if it stands here: *where is what is inside. */
bool reader_location(Reader *r, Text *where);
/* A new value of the function. */
uint32_t reader_value(Reader *r, const MlirType *t);
/* Lets a name stand for values up to the end of the region. */
bool reader_bind(Reader *r, Text name, uint32_t value, uint32_t n);
/* %name, without a number. */
bool reader_name(Reader *r, Text *out);
/* A use of a value, onto r->args. */
bool reader_use(Reader *r);
/* `%x: type loc(..), ..` up to and with ')': new values; *n of them, the first is *first. */
bool reader_params(Reader *r, uint32_t *first, uint32_t *n, bool of_function);
/* A dictionary at '{' onto r->attrs. */
bool reader_dict(Reader *r);
/* `: types` into r->in, r->out. */
bool reader_types(Reader *r);
/* A region at '{' onto r->regions.  `param`: its parameters, if they stood before it; else they stand at its ^bb0. */
bool reader_region(Reader *r, uint32_t param, uint32_t n_params);
/* Names above this place are given back what they stood for. */
void reader_leave(Reader *r, size_t undo);

/* operator.c: one operator with its regions, onto r->ops. */
bool reader_operator(Reader *r);
/* special.c: what stands only in pretty forms. */
#define ATTR_APPLIES "#applies"
/* `(%i = %a, ..) : types`: operands onto r->args, names onto r->binders. */
bool special_while(Reader *r);
/* `cond {..} do {..}` behind them. */
bool special_loop(Reader *r, const MlirOp *op, size_t binders);
/* Operands from `args` on, written (input, initial value), ..: inputs first. */
void special_pairs(Reader *r, size_t args);
/* `reducer(%a: t, %b: t) .. {..}`, or the region that the attribute ATTR_APPLIES stands for. */
bool special_reducer(Reader *r, const MlirOp *op, size_t attrs);
/* Behind `manual_axes={..}`: `(%x: t, ..) {..}`. */
bool special_manual(Reader *r);
#endif
