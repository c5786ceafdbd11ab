/* A program from beginning to end.  It runs in a thread of its own, for the sake of its stack: expressions are nested as
 * deeply as sexp.h allows, and checking and lowering follow them by recursion. */
#include "eval/program/program.h"

#include <pthread.h>

#include "eval/program/command.h"
#include "eval/program/explain.h"

typedef struct {
  Diags *diags;
  const ProgramOptions *options;
  FILE *out;
  bool (*body)(Program *e, void *context);
  void *context;
  ProgramResult result;
} Job;

/* One line that is written over again; what follows on the terminal starts where it does. */
bool program_show_progress(void *context, const DbProgress *p) {
  enum { PATIENCE = 2 };
  Program *e = context;
  if (p->seconds < PATIENCE) return true;
  const char *name = p->rule ? sym_text(p->rule) : "";
  fprintf(stderr, "\r\033[K%.0f s, iteration %llu: %llu rows, %llu matches  %.*s", p->seconds,
          (unsigned long long)p->iteration, (unsigned long long)p->rows, (unsigned long long)p->matches,
          (int)strcspn(name, "\n") < 40 ? (int)strcspn(name, "\n") : 40, name);
  fflush(stderr);
  e->showing = true;
  return true;
}

void program_limit(Program *e) {
  const ProgramOptions *o = e->options;
  db_set_limits(e->db, &(DbLimits){.rows = o->max_rows, .matches = o->max_matches, .bytes = o->max_megabytes << 20,
                                   .iterations = o->max_iterations, .seconds = (double)o->max_seconds,
                                   .dag_entries = o->max_dag});
}

/* How a program ended that did not run to its end. */
static ProgramResult stopped(Program *e) {
  bool limit = diag_errors(e->diags) && diags_only(e->diags, E_LIMIT, E_LIMIT);
  if (limit || db_limit_reached(e->db) || e->partial) return PROGRAM_LIMIT;
  return diags_only(e->diags, E_RUN, E_LIMIT) ? PROGRAM_FAILED : PROGRAM_BAD;
}

static void run(Job *job) {
  const ProgramOptions *options = job->options;
  Program e = {.diags = job->diags, .options = options, .out = job->out, .proving = options->prove};
  e.db = db_new();
  db_set_naive(e.db, options->naive);
  db_set_reasons(e.db, !options->no_reasons);
  program_limit(&e);
  if (options->progress) db_on_progress(e.db, program_show_progress, &e);
  for (SortId s = 0; s < db_n_sorts(e.db); s++) {
    name_of(&e, db_sort(e.db, s)->name)->kind = NAME_SORT;
    name_of(&e, db_sort(e.db, s)->name)->id = s;
  }
  bool ok = job->body(&e, job->context) && !diag_errors(job->diags);
  job->result = ok ? PROGRAM_OK : stopped(&e);
  if (options->profile) db_print_stats(e.db, stderr, options->json);
  db_free(e.db);
  vec_free(&e.names);
  vec_free(&e.declared);
  vec_free(&e.levels);
  vec_free(&e.models);
  vec_free(&e.leaders);
  arena_free(&e.arena);
  arena_free(&e.scratch);
}

bool program_closed(const char *text, size_t n, const char *brackets, const char *comment) {
  int64_t open = 0;
  bool string = false;
  for (size_t i = 0; i < n; i++) {
    char c = text[i];
    if (string) {
      if (c == '\\') i++;
      string = c != '"';
    } else if (c == '"') {
      string = true;
    } else if (!strncmp(text + i, comment, strlen(comment))) {
      while (i < n && text[i] != '\n') i++;
    } else {
      const char *b = c ? strchr(brackets, c) : NULL;
      if (b) open += (b - brackets) % 2 ? -1 : 1;
    }
  }
  return open <= 0 && !string;
}

static bool ask(Program *e, const Syntax *syntax, const WhyQuestion *q, void *context) {
  if (q->why_not) return explain_why_not(e, q->text, e->out);
  uint32_t source = sources_add_within(diags_sources(e->diags), "the question", syntax->check[0], q->text, syntax->check[1]);
  e->proving = true;
  bool ok = syntax->run(e, source, context);
  e->proving = false;
  return ok;
}

bool program_ask(Program *e, const Syntax *syntax, void *context) {
  const ProgramOptions *o = e->options;
  bool ok = true, limited = db_limit_reached(e->db) || e->partial;
  if (o->n_questions) db_set_limits(e->db, &(DbLimits){.dag_entries = o->max_dag});
  for (uint32_t i = 0; i < o->n_questions; i++) {
    db_clear_error(e->db);
    ok &= ask(e, syntax, &o->questions[i], context);
  }
  return ok && !limited;
}

static void *run_job(void *job) {
  run(job);
  return NULL;
}

ProgramResult program_run(Diags *diags, const ProgramOptions *options, FILE *out, bool (*body)(Program *e, void *context),
                      void *context) {
  const size_t frames = 4096; /* bytes that one level may need, in the build that checks memory */
  Job job = {diags, options, out, body, context, PROGRAM_FAILED};
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
