/* element: see element.h. */
#include "eval/exact/element.h"

#include "eval/exact/rigour.h"
#include "eval/exact/run.h"
#include "lang/base/clock.h"

struct ExactElements {
  Rigour *side[2];
};

ExactElements *exact_elements_new(const ExactRun *r, uint32_t precision, uint64_t max_work, double seconds) {
  ExactElements *e = xcalloc(1, sizeof *e);
  double deadline = clock_spent() + seconds;
  e->side[0] = rigour_new(&r->seq, precision, max_work, deadline);
  e->side[1] = rigour_new(&r->dist, precision, max_work, deadline);
  return e;
}

void exact_elements_free(ExactElements *e) {
  if (!e) return;
  rigour_free(e->side[0]);
  rigour_free(e->side[1]);
  free(e);
}

const char *exact_element(ExactElements *e, bool dist, NodeId node, int64_t device, uint64_t element, Arena *a) {
  const Num *v = rigour_value(e->side[dist], node, device, element);
  return v ? num_print(v, a) : NULL;
}
