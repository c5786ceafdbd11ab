/* Family: one claim about a pair of programs at all sizes that meet the conditions.
 *
 * The smallest sizes are checked, and large ones, each as any pair.  Where one is not verified, so is the family, and
 * the smallest such size that halving finds is named.  Where all are, and there are no other sizes, that is a proof.
 * Else the claim is about sizes that were not checked, and needs more: from size to size the programs and the checked
 * certificates must be the same but for their numbers, and these polynomials of the sizes (numbers.h, sizepoly.h).  The
 * sizes where two of these polynomials meet divide a line of sizes into *cells*; at those sizes and their neighbours
 * the pair is checked, and within each cell.  Of the graphs of a model, Z3 shows that their numbers are these
 * polynomials at all sizes of a cell; of several sizes, that beside such lines no two numbers are in an order at which
 * nothing was tried.  What then remains is an assumption by name (`uniform`): that the checker, which
 * decides by comparing such numbers, decides within a cell as it did where it was asked.
 *
 * Invariant: without every cell covered there is no claim beyond the points. */
#ifndef TVR_FAMILY_FAMILY_H
#define TVR_FAMILY_FAMILY_H
#include "eval/family/domain.h"
#include "eval/family/numbers.h"
#include "eval/family/sizepoly.h"
#include "eval/verdict/check.h"

typedef struct FamilyTry {
  const int64_t *at;
  Verdict verdict; /* the gravest of all questions */
  uint32_t n_questions;
  const Numbers *numbers;  /* by question; only of what is verified */
  const char *uncertified; /* why there is no checked certificate of all, or NULL */
} FamilyTry;

typedef struct FamilyCell { /* along size number axis, from..to with the others as in `at`: the same proof */
  uint32_t axis;
  const int64_t *at;
  int64_t from, to; /* to == 0: no end */
} FamilyCell;

typedef struct Family Family;
struct Family {
  /* given */
  Domain domain;
  uint32_t points, most; /* small sizes that are tried; sizes that may be tried in all */
  const AstFile *file;   /* the model whose numbers are expressions of the sizes, or NULL */
  /* Checks the pair at a point; false: something is wrong there and was reported. */
  bool (*check)(Family *f, const int64_t *at, FamilyTry *out);
  void *context;
  /* found */
  Vec(FamilyTry *) tried;
  FamilyTry *failed; /* not verified; NULL: all are */
  bool broken;       /* an error was reported */
  bool all;          /* there are no sizes but those tried */
  bool uniform;      /* every cell is covered */
  const char *why;   /* it is not, in words */
  const char *doubt; /* what Z3 could not tell */
  Vec(FamilyCell) cells;
  Vec(SizePoly) numbers; /* different ones */
  Vec(bool) counts;      /* of these: sizes and indices may be compared with it */
};

void family_run(Family *f);
void family_free(Family *f);
#endif
