/* Inside of the checker's walk over the graphs: what meaning.c (one operator) and walk.c (all of them) share. */
#ifndef TVR_CERTIFY_WALK_H
#define TVR_CERTIFY_WALK_H
#include "certify/proof.h"

#define SCRATCH(s, T, n) ARENA_ARRAY(&(s)->scratch, T, n)

typedef struct Walk Walk;
struct Walk {
  const CertifyProblem *problem;
  Part *part;
  Replay *p;
  Arena arena;
  Num *value[2];   /* by node */
  uint32_t n_mesh; /* digits of the mesh */
  Label *mesh;
  int64_t *digit;              /* [device][mesh digit] */
  uint32_t n_cases;            /* of the mesh digits written out; 0: none */
  Num **at;                    /* [case][distributed node] */
  bool *joined;                /* value[1] is there as well */
  Vec(const AstItem *) lemmas; /* those used */
  Vec(Sym) unknown;            /* functions without an equation, in the order met */
};

/* The labels or constants at which digits of these sizes are read when their position is `f`; false: not in digits. */
bool form_match(Store *s, Affine f, const Cuts *cuts, Label *out);
/* A place holder p for the major part of an index: only where 0 <= minor < size does it stand for anything. */
typedef struct Major {
  Label p;
  Affine minor;
  int64_t size;
} Major;
typedef Vec(Major) Majors;

/* The same for dimensions that are not cut so: a digit at a form, which beyond the range is any number; or an index
 * read as a form over place holders, which are added to *majors. */
bool form_read(Store *s, Affine f, const Cuts *cuts, bool guarded, Label *out, Majors *majors);
/* Splits off the last digit of an index: l = size * returned label + *minor. */
Label form_split(Store *s, Label l, int64_t size, Affine *minor, Majors *majors);
/* v without the place holders from `first` on, which are dropped: it does not have them, or it is the sum over all
 * their values of what it is there. */
Num without_majors(Walk *w, Num v, Majors *majors, size_t first);
Label dim_label(Walk *w, uint32_t dim, uint32_t digit, int64_t size);
/* The value of a node by its definition. */
Num meaning_of(Walk *w, uint32_t side, NodeId id);
#endif
