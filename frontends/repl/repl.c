#include "frontends/repl/repl.h"

#include <signal.h>
#include <string.h>
#include <time.h>

#include "eval/program/command.h"
#include "eval/program/explain.h"
#include "frontends/repl/line.h"

typedef struct {
  Program *program;
  const ReplOptions *options;
  const Syntax *syntax;
  void *context; /* of the syntax */
  Line *line;
  uint32_t n_pieces;
  bool failed, limited, done;
} Repl;

typedef struct {
  const char *name, *argument, *help;
  void (*run)(Repl *r, const char *argument);
} Word;

/* ---- running a piece ---- */

static void say(Repl *r) {
  fflush(r->program->out);
  r->failed |= diag_errors(r->program->diags) > 0;
  diags_print(r->program->diags, stderr, r->options->colour);
}

/* ^C while rules run: it is held back everywhere, and looked for now and then. */
static bool watch(void *context, const DbProgress *p) {
  sigset_t pending;
  sigpending(&pending);
  if (!sigismember(&pending, SIGINT)) return program_show_progress(context, p);
  sigset_t interrupt;
  int signal;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  sigwait(&interrupt, &signal);
  return false;
}

static bool run_source(Repl *r, uint32_t source) {
  Program *e = r->program;
  db_clear_error(e->db);
  program_limit(e);
  bool ok = r->syntax->run(e, source, r->context);
  db_clear_error(e->db);
  r->failed |= !ok;
  r->limited |= e->partial != NULL;
  return ok;
}

/* A ^C that came before a piece runs is not for it. */
static void forget_interrupt(void) {
  sigset_t interrupt;
  struct timespec at_once = {0};
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  while (sigtimedwait(&interrupt, NULL, &at_once) > 0) {
  }
}

static void run_text(Repl *r, const char *text) {
  if (r->options->terminal) forget_interrupt();
  char name[32];
  snprintf(name, sizeof name, "input %u", ++r->n_pieces);
  run_source(r, sources_add(diags_sources(r->program->diags), name, text, strlen(text)));
}

/* ---- words of the REPL ---- */

static void word_help(Repl *r, const char *argument);

static void word_quit(Repl *r, const char *argument) {
  (void)argument;
  r->done = true;
}

static void word_load(Repl *r, const char *argument) {
  const char *why = NULL;
  uint32_t id = sources_load(diags_sources(r->program->diags), argument, &why);
  if (id) run_source(r, id);
  else diag_error(r->program->diags, (Span){0, 0, 0}, E_FILE, "cannot read '%s': %s", argument, why);
}

static void word_explain(Repl *r, const char *argument) {
  const char *const *check = r->syntax->check;
  char *text = arena_printf(&r->program->arena, "%s%s%s", check[0], argument, check[1]);
  r->program->proving = true;
  run_text(r, text);
  r->program->proving = false;
}

static void word_why_not(Repl *r, const char *argument) { explain_why_not(r->program, argument, r->program->out); }

static void word_tables(Repl *r, const char *argument) {
  (void)argument;
  const Db *db = r->program->db;
  for (TableId t = 0; t < db_n_tables(db); t++) {
    const TableSpec *spec = db_table_spec(db, t);
    if (!spec->hidden) fprintf(r->program->out, "%10u  %s\n", db_size(db, t), sym_text(spec->name));
  }
}

static void word_rules(Repl *r, const char *argument) {
  (void)argument;
  db_print_stats(r->program->db, r->program->out, r->program->options->json);
}

static void print_name(void *to, const char *name) { fprintf(to, "%s\n", name); }
static void each_name(void *context, const char *prefix, void (*found)(void *to, const char *name), void *to);

static void word_names(Repl *r, const char *argument) { each_name(r, argument, print_name, r->program->out); }

static const Word repl_words[] = {
    {":help", "", "this", word_help},
    {":load", "FILE", "run a file", word_load},
    {":explain", "FACTS", "why they hold: who made a row, why terms are equal", word_explain},
    {":why-not", "RULE", "why it does not match; its name, or its line", word_why_not},
    {":tables", "", "tables and their numbers of rows", word_tables},
    {":rules", "", "what every rule cost", word_rules},
    {":names", "PREFIX", "names that begin so; the tabulator key completes them", word_names},
    {":quit", "", "or the end of the input", word_quit},
};
enum { N_WORDS = sizeof repl_words / sizeof *repl_words };

static void word_help(Repl *r, const char *argument) {
  (void)argument;
  FILE *out = r->program->out;
  fprintf(out, "Items of the %s syntax run as soon as their brackets are closed.\n", r->syntax->name);
  for (int i = 0; i < N_WORDS; i++)
    fprintf(out, "  %-9s %-7s %s\n", repl_words[i].name, repl_words[i].argument, repl_words[i].help);
  fprintf(out, "Items begin with:");
  for (const char *const *w = r->syntax->words; *w; w++) fprintf(out, " %s", *w);
  fputc('\n', out);
}

static void run_word(Repl *r, const char *text) {
  size_t n = strcspn(text, " \t");
  const char *argument = text + n + strspn(text + n, " \t");
  for (int i = 0; i < N_WORDS; i++)
    if (strlen(repl_words[i].name) == n && !memcmp(repl_words[i].name, text, n)) {
      if (*repl_words[i].argument && !*argument && repl_words[i].run != word_names)
        diag_error(r->program->diags, (Span){0, 0, 0}, E_SYNTAX, "this should read `%s %s`", repl_words[i].name,
                   repl_words[i].argument);
      else repl_words[i].run(r, argument);
      return;
    }
  diag_error(r->program->diags, (Span){0, 0, 0}, E_UNBOUND, "there is no word `%.*s`", (int)n, text);
  diag_hint(r->program->diags, ":help lists them");
}

/* ---- names ---- */

static void try_name(const char *prefix, const char *name, void (*found)(void *to, const char *name), void *to) {
  if (!strncmp(name, prefix, strlen(prefix))) found(to, name);
}

/* Declared names, words items begin with, words of the REPL. */
static void each_name(void *context, const char *prefix, void (*found)(void *to, const char *name), void *to) {
  Repl *r = context;
  Program *e = r->program;
  for (int i = 0; *prefix == ':' && i < N_WORDS; i++) try_name(prefix, repl_words[i].name, found, to);
  for (const char *const *w = r->syntax->words; *w; w++) try_name(prefix, *w, found, to);
  for (size_t i = 0; i < e->declared.len; i++) try_name(prefix, sym_text(e->declared.at[i]), found, to);
}

/* ---- reading ---- */

typedef Vec(char) Text;

static void append(Text *t, const char *line) {
  if (t->len) vec_push(t, '\n');
  for (; *line; line++) vec_push(t, *line);
}

/* The next piece, NUL-terminated; false at the end of the input. */
static bool read_piece(Repl *r, Text *piece) {
  piece->len = 0;
  for (;;) {
    bool interrupted;
    const char *line = line_next(r->line, piece->len ? "... " : r->syntax->infix ? "tvr> " : "egg> ", &interrupted);
    if (interrupted) {
      piece->len = 0;
      continue;
    }
    if (!line && !piece->len) return false;
    bool blank = line && !line[strspn(line, " \t")];
    if (line && !(blank && !piece->len)) append(piece, line);
    bool whole = !line || (blank && r->options->terminal) || *piece->at == ':' ||
                 (r->syntax->is_whole(piece->at, piece->len) && !line_continues(r->line));
    if (!piece->len || !whole) continue;
    vec_push(piece, 0);
    return true;
  }
}

static bool session(Program *e, void *context) {
  Repl *r = context;
  Text piece = {0};
  r->program = e;
  e->infix = r->syntax->infix;
  e->resumes = true;
  r->context = r->syntax->open ? r->syntax->open(e) : NULL;
  r->line = line_open(r->options->terminal, r->options->history, each_name, r);
  if (r->options->terminal) {
    fprintf(e->out, "tvr, %s syntax.  :help says what there is.\n", r->syntax->name);
    db_on_progress(e->db, watch, e);
  }
  if (r->options->source) run_source(r, r->options->source);
  say(r);
  while (!r->done && read_piece(r, &piece)) {
    line_remember(r->line, piece.at);
    if (*piece.at == ':') run_word(r, piece.at);
    else run_text(r, piece.at);
    say(r);
  }
  if (r->options->terminal) fputc('\n', e->out);
  vec_free(&piece);
  line_close(r->line);
  if (r->syntax->close) r->syntax->close(r->context);
  if (r->limited && !e->partial) e->partial = ""; /* the exit code says so */
  return !r->failed;
}

ProgramResult repl_run(Diags *diags, const ProgramOptions *options, const ReplOptions *repl, FILE *out) {
  Repl r = {.options = repl, .syntax = repl->syntax};
  if (repl->terminal) {
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt, NULL);
  }
  ProgramResult result = program_run(diags, options, out, session, &r);
  if (result != PROGRAM_BAD && result != PROGRAM_FAILED) return result;
  return repl->terminal ? PROGRAM_OK : PROGRAM_FAILED; /* a piece failed, whatever the reason */
}
