/* A program from beginning to end.  It runs in a thread of its own, for the sake of its stack: expressions are nested as
 * deeply as sexp.h allows, and checking and lowering follow them by recursion. */
#include "eval/program/program.h"

#include <pthread.h>

#include "eval/program/command.h"

typedef struct {
  Diags *diags;
  const EggOptions *options;
  FILE *out;
  bool (*body)(Egg *e, void *context);
  void *context;
  EggResult result;
} Job;

static void run(Job *job) {
  const EggOptions *options = job->options;
  Egg e = {.diags = job->diags, .options = options, .out = job->out};
  e.db = db_new();
  db_set_naive(e.db, options->naive);
  db_set_reasons(e.db, !options->no_reasons);
  db_set_limits(e.db, &(DbLimits){options->max_rows, options->max_matches, options->max_megabytes << 20,
                                  (double)options->max_seconds});
  for (SortId s = 0; s < db_n_sorts(e.db); s++) {
    name_of(&e, db_sort(e.db, s)->name)->kind = NAME_SORT;
    name_of(&e, db_sort(e.db, s)->name)->id = s;
  }
  bool ok = job->body(&e, job->context) && !diag_errors(job->diags);
  job->result = ok ? EGG_OK : db_limit_reached(e.db) ? EGG_LIMIT : EGG_FAILED;
  if (options->profile) db_print_stats(e.db, stderr, options->json);
  db_free(e.db);
  vec_free(&e.names);
  vec_free(&e.declared);
  vec_free(&e.levels);
  vec_free(&e.leaders);
  arena_free(&e.arena);
  arena_free(&e.scratch);
}

static void *run_job(void *job) {
  run(job);
  return NULL;
}

EggResult program_run(Diags *diags, const EggOptions *options, FILE *out, bool (*body)(Egg *e, void *context),
                      void *context) {
  const size_t frames = 4096; /* bytes that one level may need, in the build that checks memory */
  Job job = {diags, options, out, body, context, EGG_FAILED};
  pthread_attr_t attr;
  pthread_t thread;
  pthread_attr_init(&attr);
  bool ok = !pthread_attr_setstacksize(&attr, frames * SEXP_MAX_DEPTH) && !pthread_create(&thread, &attr, run_job, &job);
  if (ok)
    pthread_join(thread, NULL);
  else
    diag_error(diags, (Span){0, 0, 0}, E_LIMIT, "there is no memory for the stack");
  pthread_attr_destroy(&attr);
  return job.result;
}
