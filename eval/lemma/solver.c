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

#define Z3 "libz3.so.4"

enum { MAX_ANSWER = 1 << 16, NO_LIBRARY = 3, SLACK_MEGABYTES = 512, WAIT = 10 };

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

typedef struct Z3Functions {
  __typeof__(Z3_global_param_set) *set;
  __typeof__(Z3_mk_config) *config;
  __typeof__(Z3_mk_context) *context;
  __typeof__(Z3_set_error_handler) *handler;
  __typeof__(Z3_eval_smtlib2_string) *eval;
} Z3Functions;

/* In the child. */
static Z3_context start(Z3Functions *z, SolverLimits limits) {
  set_limits(limits);
  z->set = library_find(Z3, "Z3_global_param_set");
  z->config = library_find(Z3, "Z3_mk_config");
  z->context = library_find(Z3, "Z3_mk_context");
  z->handler = library_find(Z3, "Z3_set_error_handler");
  z->eval = library_find(Z3, "Z3_eval_smtlib2_string");
  if (!z->set || !z->config || !z->context || !z->handler || !z->eval) _exit(NO_LIBRARY);
  char megabytes[32];
  snprintf(megabytes, sizeof megabytes, "%lld", (long long)limits.megabytes);
  z->set("memory_max_size", megabytes);
  Z3_context c = z->context(z->config());
  z->handler(c, ignore);
  return c;
}

static bool all_unsat(const char *answer) {
  bool some = false;
  for (; !strncmp(answer, "unsat\n", 6); answer += 6) some = true;
  return some && !*answer;
}

typedef struct Work {
  const char *const *problems;
  uint32_t n;
  SolverLimits limits;
} Work;

/* In the child: the answer; of several problems the number of one whose parts are all unsatisfiable. */
static void solve(void *context, int to) {
  const Work *w = context;
  Z3Functions z;
  Z3_context c = start(&z, w->limits);
  for (uint32_t i = 0; i < w->n; i++) {
    const char *answer = z.eval(c, w->problems[i]);
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
  Work work = {problems, n_problems, limits};
  Child child;
  *why = "no child process";
  if (!child_start(&child, solve, &work)) return NULL;
  char *text = arena_alloc(a, MAX_ANSWER);
  int status;
  ssize_t n = child_collect(&child, text, MAX_ANSWER, clock_passed() + WAIT * limits.seconds, &status);
  bool late = n < 0 || (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL));
  if (late) *why = "Z3 ran out of time";
  else if (WIFEXITED(status) && WEXITSTATUS(status) == NO_LIBRARY) *why = "libz3 is not installed";
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
