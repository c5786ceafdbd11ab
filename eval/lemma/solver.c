/* solver: see solver.h.  Only Z3_eval_smtlib2_string of the C API is needed, and what makes and ends a context. */
#include "eval/lemma/solver.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <z3.h>

#include "lang/base/child.h"
#include "lang/base/clock.h"
#include "lang/base/library.h"

#define LIBZ3 "libz3.so.4"

enum { MAX_ANSWER = 1 << 16, SLACK_MEGABYTES = 512, WAIT = 10 };

static void ignore(Z3_context c, Z3_error_code e) {
  (void)c;
  (void)e;
}

static void limit(int what, int64_t value) {
  struct rlimit r = {(rlim_t)value, (rlim_t)value};
  setrlimit(what, &r);
}

static void set_limits(SolverLimits limits) {
  limit(RLIMIT_CPU, (int64_t)limits.seconds > 0 ? (int64_t)limits.seconds : 1);
  limit(RLIMIT_CORE, 0);
#ifndef TVR_SANITIZED /* which maps terabytes */
  limit(RLIMIT_AS, (limits.megabytes + SLACK_MEGABYTES) << 20);
#endif
}

typedef struct Z3 {
  Z3_context context; /* NULL: the library is not there */
  __typeof__(Z3_global_param_set) *set;
  __typeof__(Z3_eval_smtlib2_string) *eval;
} Z3;

/* Made once, in the parent, and with what the library makes at the first question; children find it ready. */
static const Z3 *ready(void) {
  static Z3 z;
  if (z.context) return &z;
  __typeof__(Z3_mk_config) *config = library_find(LIBZ3, "Z3_mk_config");
  __typeof__(Z3_del_config) *configured = library_find(LIBZ3, "Z3_del_config");
  __typeof__(Z3_mk_context) *context = library_find(LIBZ3, "Z3_mk_context");
  __typeof__(Z3_set_error_handler) *handler = library_find(LIBZ3, "Z3_set_error_handler");
  z.set = library_find(LIBZ3, "Z3_global_param_set");
  z.eval = library_find(LIBZ3, "Z3_eval_smtlib2_string");
  if (!config || !configured || !context || !handler || !z.set || !z.eval) return &z;
  Z3_config standard = config();
  z.context = context(standard);
  configured(standard);
  handler(z.context, ignore);
  z.eval(z.context, "(assert true)\n(check-sat)\n(reset)\n");
  return &z;
}

static bool all_unsat(const char *answer) {
  bool some = false;
  for (; !strncmp(answer, "unsat\n", 6); answer += 6) some = true;
  return some && !*answer;
}

typedef struct Work {
  const Z3 *z;
  const char *const *problems;
  uint32_t n;
  SolverLimits limits;
} Work;

/* In the child: the answer; of several problems the number of one whose parts are all unsatisfiable. */
static void solve(void *context, int to) {
  const Work *w = context;
  set_limits(w->limits);
  char megabytes[32];
  snprintf(megabytes, sizeof megabytes, "%lld", (long long)w->limits.megabytes);
  w->z->set("memory_max_size", megabytes);
  for (uint32_t i = 0; i < w->n; i++) {
    const char *answer = w->z->eval(w->z->context, w->problems[i]);
    if (w->n > 1 && (!answer || !all_unsat(answer))) continue;
    char number[16];
    snprintf(number, sizeof number, "%u", i);
    if (w->n > 1) answer = number;
    if (answer) child_send(to, answer, strlen(answer));
    return;
  }
  child_send(to, "none", 4);
}

/* What the child wrote. */
static char *ask(const char *const *problems, uint32_t n_problems, SolverLimits limits, Arena *a, const char **why) {
  Work work = {ready(), problems, n_problems, limits};
  Child child;
  *why = "libz3 is not installed";
  if (!work.z->context) return NULL;
  *why = "no child process";
  if (!child_start(&child, solve, &work)) return NULL;
  char *text = arena_alloc(a, MAX_ANSWER);
  int status;
  ssize_t n = child_collect(&child, text, MAX_ANSWER, clock_passed() + WAIT * limits.seconds, &status);
  bool late = n < 0 || (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL));
  if (late) *why = "Z3 ran out of time";
  else if (!WIFEXITED(status) || WEXITSTATUS(status) || !n) *why = "Z3 ran out of memory";
  else return text;
  return NULL;
}

char *solver_ask(const char *problem, SolverLimits limits, Arena *a, const char **why) {
  return ask(&problem, 1, limits, a, why);
}

int solver_first(const char *const *problems, uint32_t n, SolverLimits limits, Arena *a) {
  const char *why, *answer = n ? ask(problems, n, limits, a, &why) : NULL;
  if (!answer) return -1;
  if (n == 1) return all_unsat(answer) ? 0 : -1;
  char *end;
  long i = strtol(answer, &end, 10);
  return end == answer ? -1 : (int)i;
}
