/* Shapes at which a lemma is tried: a size for every index, a value for every attribute, a rank for its groups.
 *
 * Small ones come first: every combination of sizes 1 to 3 (1 and 2 where that would be too many), by the number of
 * elements of all parameters.  Behind them stand shapes that catch what small sizes hide: distinct primes, groups of
 * two dimensions (of several groups the first also the other way round), sizes beyond each number that the lemma names,
 * and an empty dimension for each index in turn.  A size
 * that the condition equates to an expression of others (`size(k) == size(i) + size(j)`) follows from them. */
#ifndef TVR_LEMMA_SHAPE_H
#define TVR_LEMMA_SHAPE_H
#include "eval/graph/graph.h"
#include "eval/prove/equation.h"

enum { SHAPE_NAMES = 24 };

typedef struct Shape {
  uint8_t rank;             /* of groups */
  bool turned;              /* the dimensions of the first group are the other way round */
  int64_t size[SHAPE_NAMES]; /* by number of the name: an index, or an attribute */
  bool empty;               /* some size is 0 */
  uint32_t cost;            /* elements of all parameters; UINT32_MAX: that many or more */
  uint32_t sum;             /* of the sizes */
} Shape;

typedef struct Shapes {
  const AstItem *item;
  Arena *a;
  uint32_t n_names, n_attrs; /* attributes are the last names */
  Sym names[SHAPE_NAMES];
  int64_t fixed[SHAPE_NAMES];          /* a stated size, or -1 */
  const AstExpr *follows[SHAPE_NAMES]; /* size(name) == this is a condition, or NULL */
  bool groups;                         /* it has groups .. */
  uint32_t first_group;                /* .. of which this name is one */
  bool more;                           /* it names numbers beyond these shapes, or hides some */
  uint32_t n, n_small;                 /* the first n_small are in order of size, without empty dimensions */
  Shape *at;
} Shapes;

/* In `a`.  false: more names than SHAPE_NAMES. */
bool shapes_of(Shapes *s, const AstItem *item, Arena *a);
/* That of a use of the lemma: indices that it says nothing of have size 1, groups no dimensions. */
Shape shape_of_use(const Shapes *s, const EquationUse *use);
/* The lemma with tuples of these sizes; `number` makes the names of its operators differ from those at others. */
Lemma shape_lemma(const Shapes *s, const Shape *at, uint32_t number, Arena *a);
/* One operator of it as a graph, with an output for each of `ops` (0: none); NULL if a tensor has too many dimensions.
 */
Graph *shape_graph(const Shapes *s, const Shape *at, const Lemma *l, const Sym *ops, uint32_t n_ops);
/* "x[2, 3], n = 1" */
const char *shape_text(const Shapes *s, const Shape *at, const Graph *g, Arena *a);
#endif
