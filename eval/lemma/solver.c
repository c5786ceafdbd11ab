/* solver: see solver.h.  Only Z3_eval_smtlib2_string of the C API is needed, and what makes and ends a context. */
#include "eval/lemma/solver.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <z3.h>

#include "lang/base/library.h"

#define Z3 "libz3.so.4"

enum { MAX_ANSWER = 1 << 16, NO_LIBRARY = 3, SLACK_MEGABYTES = 512, WAIT = 10 };

static double clock_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

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
#ifndef __SANITIZE_ADDRESS__ /* which maps terabytes */
  limit(RLIMIT_AS, (limits.megabytes + SLACK_MEGABYTES) << 20);
#endif
}

/* The child: never returns. */
static void run_child(const char *problem, SolverLimits limits, int to) {
  set_limits(limits);
  __typeof__(Z3_global_param_set) *set = library_find(Z3, "Z3_global_param_set");
  __typeof__(Z3_mk_config) *config = library_find(Z3, "Z3_mk_config");
  __typeof__(Z3_mk_context) *context = library_find(Z3, "Z3_mk_context");
  __typeof__(Z3_set_error_handler) *handler = library_find(Z3, "Z3_set_error_handler");
  __typeof__(Z3_eval_smtlib2_string) *eval = library_find(Z3, "Z3_eval_smtlib2_string");
  if (!set || !config || !context || !handler || !eval) _exit(NO_LIBRARY);
  char megabytes[32];
  snprintf(megabytes, sizeof megabytes, "%lld", (long long)limits.megabytes);
  set("memory_max_size", megabytes);
  Z3_context c = context(config());
  handler(c, ignore);
  const char *answer = eval(c, problem);
  size_t n = answer ? strlen(answer) : 0;
  for (size_t done = 0; done < n;) {
    ssize_t k = write(to, answer + done, n - done);
    if (k <= 0) break;
    done += (size_t)k;
  }
  _exit(0);
}

/* Reads until the end, or the deadline; -1 then. */
static ssize_t collect(int from, char *text, size_t cap, double deadline) {
  size_t n = 0;
  while (n + 1 < cap) {
    double left = deadline - clock_now();
    struct pollfd p = {.fd = from, .events = POLLIN};
    int ready = left > 0 ? poll(&p, 1, (int)(left * 1000) + 1) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return -1;
    ssize_t k = read(from, text + n, cap - 1 - n);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) break;
    n += (size_t)k;
  }
  text[n] = 0;
  return (ssize_t)n;
}

char *solver_ask(const char *problem, SolverLimits limits, Arena *a, const char **why) {
  int ends[2];
  *why = "no child process";
  if (pipe(ends)) return NULL;
  pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return NULL;
  }
  if (!child) {
    close(ends[0]);
    run_child(problem, limits, ends[1]);
  }
  close(ends[1]);
  char *text = arena_alloc(a, MAX_ANSWER);
  ssize_t n = collect(ends[0], text, MAX_ANSWER, clock_now() + WAIT * limits.seconds);
  close(ends[0]);
  if (n < 0) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  bool late = n < 0 || (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL));
  if (late) *why = "Z3 ran out of time";
  else if (WIFEXITED(status) && WEXITSTATUS(status) == NO_LIBRARY) *why = "libz3 is not installed";
  else if (!WIFEXITED(status) || WEXITSTATUS(status) || !n) *why = "Z3 ran out of memory";
  else return text;
  return NULL;
}
