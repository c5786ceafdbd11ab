/* The verdict on a family, for people and for programs: the claim in words, the sizes that were tried, what it rests
 * on. */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "eval/verdict/assume.h"
#include "eval/verdict/report.h"
#include "frontends/cli/family.h"

enum { MOST_LISTED = 12, MOST_NUMBERS = 12, MOST_CELLS = 6 };

static Arena *arena(FamilyRun *run) { return &run->cli->arena; }

static const char *names(FamilyRun *run) {
  const char *out = "";
  for (uint32_t i = 0; i < run->sizes.n; i++)
    out = arena_printf(arena(run), "%s%s%s", out, i ? ", " : "", sym_text(run->sizes.names[i]));
  return out;
}

static int by_point(const void *a, const void *b) {
  const FamilyTry *x = *(FamilyTry *const *)a, *y = *(FamilyTry *const *)b;
  return x->at[0] != y->at[0] ? (x->at[0] < y->at[0] ? -1 : 1) : 0;
}

/* "s = 8, 16, 24"; of several sizes "(8, 1), (8, 2)". */
static const char *points(FamilyRun *run, Verdict which) {
  Family *f = &run->family;
  FamilyTry **all = ARENA_ARRAY(arena(run), FamilyTry *, f->tried.len + 1);
  if (f->tried.len) memcpy(all, f->tried.at, f->tried.len * sizeof *all);
  const char *out = run->sizes.n == 1 ? arena_printf(arena(run), "%s = ", names(run))
                                      : arena_printf(arena(run), "(%s) = ", names(run));
  uint32_t n = 0, total = 0;
  if (f->tried.len && run->sizes.n == 1) qsort(all, f->tried.len, sizeof *all, by_point);
  for (size_t i = 0; i < f->tried.len; i++) total += all[i]->verdict == which;
  for (size_t i = 0; i < f->tried.len; i++) {
    if (all[i]->verdict != which) continue;
    if (n++ == MOST_LISTED && total > MOST_LISTED + 2) out = arena_printf(arena(run), "%s, ..", out);
    if (n > MOST_LISTED && n < total && total > MOST_LISTED + 2) continue;
    out = arena_printf(arena(run), "%s%s", out, n > 1 ? ", " : "");
    if (run->sizes.n > 1) out = arena_printf(arena(run), "%s(", out);
    for (uint32_t k = 0; k < run->sizes.n; k++)
      out = arena_printf(arena(run), "%s%s%" PRId64, out, k ? ", " : "", all[i]->at[k]);
    if (run->sizes.n > 1) out = arena_printf(arena(run), "%s)", out);
  }
  return total ? out : "no size";
}

/* "40 <= s <= 56", "s >= 72, where b = 1" */
static const char *cell_text(FamilyRun *run, const FamilyCell *c) {
  const char *name = sym_text(run->sizes.names[c->axis]), *out;
  if (c->to) out = arena_printf(arena(run), "%" PRId64 " <= %s <= %" PRId64, c->from, name, c->to);
  else out = arena_printf(arena(run), "%s >= %" PRId64, name, c->from);
  for (uint32_t i = 0; i < run->sizes.n; i++)
    if (i != c->axis)
      out = arena_printf(arena(run), "%s with %s = %" PRId64, out, sym_text(run->sizes.names[i]), c->at[i]);
  return out;
}

static const char *cells(FamilyRun *run) {
  const char *out = "";
  size_t n = run->family.cells.len;
  for (size_t i = 0; i < n && i < MOST_CELLS; i++)
    out = arena_printf(arena(run), "%s%s%s", out, i ? "; " : "", cell_text(run, &run->family.cells.at[i]));
  if (n > MOST_CELLS) out = arena_printf(arena(run), "%s; and %zu more", out, n - MOST_CELLS);
  return out;
}

static const char *uniform_text(FamilyRun *run) {
  const Family *f = &run->family;
  if (f->domain.files)
    return arena_printf(
        arena(run),
        "uniform in %s: at sizes without files, programs and proof are those of the files, their numbers "
        "polynomials of %s",
        names(run), names(run));
  if (run->sizes.n > 1)
    return arena_printf(arena(run),
                        "uniform in %s: at sizes that were not tried, the proof is one of those at hand, its numbers "
                        "polynomials of %s",
                        names(run), names(run));
  return arena_printf(arena(run), "uniform in %s: within %s the checker decides at every size as at those tried",
                      names(run), cells(run));
}

static const char *domain_text(FamilyRun *run) {
  if (!*run->conditions) return arena_printf(arena(run), "all %s", names(run));
  return arena_printf(arena(run), "all %s with %s", names(run), run->conditions);
}

typedef struct Outcome {
  Verdict verdict;
  const char *claim, *why;
  bool refused; /* the assumption was not stated, and --strict asks for that */
} Outcome;

static Outcome outcome(FamilyRun *run) {
  const Family *f = &run->family;
  Outcome o = {.verdict = VERDICT_UNPROVED, .why = f->why};
  if (f->failed) {
    o.verdict = f->failed->verdict;
    o.claim = arena_printf(arena(run), "%s at %s", verdict_text(o.verdict),
                           sizes_print(&run->sizes, f->failed->at, arena(run)));
    o.why = NULL;
  } else if (f->all) {
    o.verdict = VERDICT_VERIFIED;
    o.claim = arena_printf(arena(run), "verified for %s: there are no others than those tried", domain_text(run));
  } else if (f->uniform) {
    o.refused = run->options->strict && !(run->options->stated & 1u << STATED_UNIFORM);
    if (!o.refused) o.verdict = VERDICT_VERIFIED;
    o.claim = arena_printf(arena(run), "%s for %s", o.refused ? "unproved" : "verified", domain_text(run));
  } else {
    o.claim = arena_printf(arena(run), "unproved for %s: only for those tried", domain_text(run));
  }
  return o;
}

/* ---- text */

static void print_text(FamilyRun *run, const Outcome *o) {
  static const char *const paint[] = {"\033[1;32m", "\033[1;31m", "\033[1;33m", "\033[1;31m"};
  bool colour = cli_colour(run->cli, STDOUT_FILENO);
  const Family *f = &run->family;
  size_t word = strlen(verdict_text(o->verdict));
  printf("%s%.*s%s%s\n", colour ? paint[o->verdict] : "", (int)word, o->claim, colour ? "\033[0m" : "",
         o->claim + word);
  printf("  verified at %s\n", points(run, VERDICT_VERIFIED));
  if (f->failed) {
    for (size_t i = 0; i < run->failures.len; i++)
      if (run->failures.at[i].at == f->failed)
        printf("at %s\n%s", sizes_print(&run->sizes, f->failed->at, arena(run)), run->failures.at[i].text);
    return;
  }
  if (o->why) printf("  %s\n", o->why);
  if (f->uniform && f->cells.len) printf("  one proof each for %s\n", cells(run));
  uint32_t shown = 0;
  for (size_t i = 0; f->uniform && i < f->numbers.len; i++)
    if (!sizepoly_is_constant(&f->numbers.at[i]) && shown++ < MOST_NUMBERS)
      printf("%s%s", shown > 1 ? ", " : "  with the numbers ",
             sizepoly_print(&f->numbers.at[i], &run->sizes, arena(run)));
  if (shown) printf("%s\n", shown > MOST_NUMBERS ? ", .." : "");
  for (size_t i = 0; i < run->claims.len; i++) printf("  verified %s\n", run->claims.at[i]);
  bool uniform = f->uniform && !o->refused;
  if (uniform || run->assumptions.len) printf("assuming\n");
  if (uniform) printf("  %s\n", uniform_text(run));
  for (size_t i = 0; i < run->assumptions.len; i++) printf("  %s\n", run->assumptions.at[i]);
  if (o->refused) printf("refused, since nobody stated (--assume=uniform)\n  %s\n", uniform_text(run));
}

/* ---- JSON */

static json_t *point_json(FamilyRun *run, const int64_t *at) {
  json_t *o = json_object();
  for (uint32_t i = 0; i < run->sizes.n; i++)
    json_object_set_new(o, sym_text(run->sizes.names[i]), json_integer((json_int_t)at[i]));
  return o;
}

static json_t *strings(const char *const *at, size_t n) {
  json_t *a = json_array();
  for (size_t i = 0; i < n; i++) json_array_append_new(a, json_string(at[i]));
  return a;
}

static json_t *family_json(FamilyRun *run, const Outcome *o) {
  const Family *f = &run->family;
  json_t *out = json_object(), *tried = json_array(), *covered = json_array(), *numbers = json_array();
  for (size_t i = 0; i < f->tried.len; i++) {
    json_t *t = json_object();
    json_object_set_new(t, "sizes", point_json(run, f->tried.at[i]->at));
    json_object_set_new(t, "verdict", json_string(verdict_text(f->tried.at[i]->verdict)));
    json_array_append_new(tried, t);
  }
  for (size_t i = 0; f->uniform && i < f->cells.len; i++)
    json_array_append_new(covered, json_string(cell_text(run, &f->cells.at[i])));
  for (size_t i = 0; f->uniform && i < f->numbers.len; i++)
    json_array_append_new(numbers, json_string(sizepoly_print(&f->numbers.at[i], &run->sizes, arena(run))));
  json_object_set_new(out, "conditions", json_string(run->conditions));
  json_object_set_new(out, "claim", json_string(o->claim));
  json_object_set_new(out, "tried", tried);
  json_object_set_new(out, "all", json_boolean(f->all));
  json_object_set_new(out, "uniform", json_boolean(f->uniform));
  json_object_set_new(out, "cells", covered);
  json_object_set_new(out, "numbers", numbers);
  if (o->why) json_object_set_new(out, "why", json_string(o->why));
  if (f->failed) json_object_set_new(out, "at", point_json(run, f->failed->at));
  return out;
}

static void print_json(FamilyRun *run, const Outcome *o) {
  const Family *f = &run->family;
  json_t *out = NULL, *assumptions = strings(run->assumptions.at, run->assumptions.len), *refused = json_array();
  for (size_t i = 0; f->failed && i < run->failures.len; i++)
    if (run->failures.at[i].at == f->failed && !out) out = json_loads(run->failures.at[i].text, 0, NULL);
  if (!out) out = json_object();
  json_object_set_new(out, "format", json_integer(REPORT_FORMAT));
  if (f->uniform) json_array_append_new(o->refused ? refused : assumptions, json_string(uniform_text(run)));
  json_object_set_new(out, "verdict", json_string(verdict_text(o->verdict)));
  json_object_set_new(out, "family", family_json(run, o));
  if (!f->failed) {
    json_object_set_new(out, "assumptions", assumptions);
    json_object_set_new(out, "refused", refused);
  } else {
    json_decref(assumptions);
    json_decref(refused);
  }
  json_dumpf(out, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
  putchar('\n');
  json_decref(out);
}

Exit family_report(FamilyRun *run) {
  if (run->readings)
    vec_push(&run->assumptions, "literals are read as fractions at every size (--literals=exact forbids it)");
  static const Exit code[] = {EXIT_VERIFIED, EXIT_REFUTED, EXIT_UNPROVED, EXIT_BROKEN};
  Outcome o = outcome(run);
  if (run->cli->options.json) print_json(run, &o);
  else print_text(run, &o);
  return code[o.verdict];
}
