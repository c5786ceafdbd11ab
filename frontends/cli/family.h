/* Families on the command line: a model that declares sizes, or files whose names have sizes in braces, or --family.
 *
 *     tvr check model.tvr
 *     tvr check "seq-{s}.hlo" "dist-{s}.hlo" --relation="relation-{s}.json" --family="s % 8 == 0" */
#ifndef TVR_CLI_FAMILY_H
#define TVR_CLI_FAMILY_H
#include "eval/family/family.h"
#include "frontends/cli/ask.h"

typedef struct FamilyRun {
  Cli *cli;
  Family family;
  Sizes sizes;
  const char *conditions; /* in words */
  const CheckOptions *options;
  AskAnswer *answer; /* of one question at one point; it calls family_take */
  void *context;
  FamilyTry *now;
  Vec(Numbers) numbers;     /* of the questions at this point */
  Vec(const char *) claims; /* equations of the outputs */
  Vec(const char *) assumptions;
  bool readings;         /* literals are read as fractions at other sizes than the first, too */
  struct FamilyFailure { /* what is said of the point that failed last */
    const FamilyTry *at;
    const char *text;
  } failure;
  Vec(struct FamilyFailure) failures;
} FamilyRun;

/* Whether the command line asks about a family; false too after errors, which are reported (diag_errors). */
bool family_open(FamilyRun *run, Cli *cli);
/* Checks it and prints the verdict. */
Exit family_check(FamilyRun *run);
/* Takes the report of a question at the point at hand; returns its exit code. */
Exit family_take(FamilyRun *run, const Asked *a, const CheckReport *r);
void family_close(FamilyRun *run);

/* family_report.c */
Exit family_report(FamilyRun *run);
#endif
