/* Inside of the checker's walk over the graphs: what meaning.c (one operator) and walk.c (all of them) share. */
#ifndef TVR_CERTIFY_WALK_H
#define TVR_CERTIFY_WALK_H
#include "certify/proof.h"

#define SCRATCH(s, T, n) ARENA_ARRAY(&(s)->scratch, T, n)

typedef struct Walk Walk;
struct Walk {
  const CertifyProblem *problem;
  Part *part;
  Proof *p;
  Arena arena;
  Num *value[2];           /* by node */
  uint32_t n_mesh;         /* digits of the mesh */
  Label *mesh;
  int64_t *digit;          /* [device][mesh digit] */
  uint32_t n_cases;        /* of the mesh digits written out; 0: none */
  Num **at;                /* [case][distributed node] */
  bool *joined;            /* value[1] is there as well */
  Vec(Sym) lemmas;         /* those used */
  Vec(Sym) unknown;        /* functions without an equation, in the order met */
};

/* c + sum k * label */
typedef struct Form {
  int64_t c;
  uint32_t n;
  struct FormTerm {
    int64_t k;
    Label l;
  } * t;
} Form;

Form form_add(Store *s, Form f, Form g, int64_t k); /* f + k g */
/* The position of labels in mixed radix, major to minor. */
Form form_digits(Store *s, const Label *l, uint32_t n);
Num form_num(Proof *p, Form f);
/* The labels or constants at which digits of these sizes are read when their position is `f`; false: not in digits. */
bool form_match(Store *s, Form f, const Cuts *cuts, Label *out);
Label dim_label(Walk *w, uint32_t dim, uint32_t digit, int64_t size);
/* The value of a node by its definition. */
Num meaning_of(Walk *w, uint32_t side, NodeId id);
#endif
