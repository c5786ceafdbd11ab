#include "eval/rules/script.h"

#include <string.h>

#include "eval/rules/rules.h"

typedef struct Job {
  const Script *script;
  Result result;
} Job;

const AstFile *script_library_file(const Library *library, const char *name, Diags *diags) {
  uint32_t n;
  const AstFile *const *files = library_files(library, &n);
  for (uint32_t i = 0; i < n; i++) {
    const char *path = sources_get(diags_sources(diags), files[i]->source)->path, *slash = strrchr(path, '/');
    if (!strcmp(slash ? slash + 1 : path, name)) return files[i];
  }
  diag_error(diags, (Span){0, 0, 0}, E_FILE, "the standard library has no %s", name);
  return NULL;
}

static bool add_graphs(Rules *r, const Script *s) {
  Egg *e = r->egg;
  const AstFile *tables = script_library_file(s->library, "graph.tvr", e->diags);
  if (!tables || rules_file(r, tables) != RESULT_OK) return false;
  for (uint32_t i = 0; i < s->n_graphs; i++) {
    if (facts_add(e, &s->graphs[i], s->library)) continue;
    if (db_limit_reached(e->db)) diag_error(e->diags, (Span){0, 0, 0}, E_LIMIT, "%s", db_error(e->db));
    return false;
  }
  r->graphs = true;
  return true;
}

static bool run(Egg *e, void *context) {
  Job *job = context;
  const Script *s = job->script;
  Rules r = {.egg = e, .library = s->library};
  e->infix = true;
  job->result = s->n_graphs && !add_graphs(&r, s) ? RESULT_BAD : RESULT_OK;
  for (uint32_t i = 0; job->result == RESULT_OK && i < s->n_files; i++) job->result = rules_file(&r, s->files[i]);
  rules_free(&r);
  if (job->result == RESULT_OK && s->finish) s->finish(s->context, e);
  return job->result == RESULT_OK;
}

ScriptEnd script_run(const Script *s, Diags *diags, const EggOptions *options, FILE *out) {
  Job job = {s, RESULT_BAD};
  EggResult result = program_run(diags, options, out, run, &job);
  if (result == EGG_OK) return SCRIPT_OK;
  if (result == EGG_LIMIT) return SCRIPT_LIMIT;
  return job.result == RESULT_FAILED ? SCRIPT_FAILED : SCRIPT_BAD;
}
