#include "frontends/cli/family.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eval/lemma/lemma_check.h"
#include "eval/verdict/report.h"
#include "eval/witness/witness.h"
#include "eval/witness/witness_search.h"
#include "frontends/torch/pt2.h"
#include "lang/lang.h"

static const Span nowhere = {0, 0, 0};

enum { LARGE_WORK = 20000000, MOST_ASSUMPTIONS = 24 };

/* ---- which family */

static void add_name(Sizes *s, Sym name) {
  if (sizes_find(s, name) < 0 && s->n < SIZES_MAX) s->names[s->n++] = name;
}

/* {s} in the name of a file. */
static void names_in_braces(Sizes *s, const char *path) {
  for (const char *open; path && (open = strchr(path, '{')); path = open + 1) {
    size_t n = 0;
    while (isalnum((unsigned char)open[1 + n]) || open[1 + n] == '_') n++;
    if (n && open[1 + n] == '}' && !isdigit((unsigned char)open[1])) add_name(s, sym_n(open + 1, n));
  }
}

static void names_in(Sizes *s, const AstExpr *e) {
  if (e->kind == EX_NAME && !e->graph) add_name(s, e->name);
  for (uint32_t i = 0; i < e->n_args; i++) names_in(s, e->args[i]);
}

/* The text of --family is what stands behind `assume`; a name by itself only declares it. */
static bool read_option(FamilyRun *run, const char *text) {
  Cli *cli = run->cli;
  uint32_t id = sources_add_within(cli->sources, "--family", "assume ", text, "\n");
  AstFile *file = lang_parse(&cli->arena, cli->diags, id);
  if (diag_errors(cli->diags)) return false;
  if (file->n_items != 1 || !file->items[0]->assume.n_conditions)
    return diag_error(cli->diags, nowhere, E_USAGE, "--family lists conditions on sizes: 's %% 8 == 0, s >= 8'");
  AstAssume *a = &file->items[0]->assume;
  uint32_t n = 0;
  for (uint32_t i = 0; i < a->n_conditions; i++) {
    names_in(&run->sizes, a->conditions[i]);
    if (a->conditions[i]->kind != EX_NAME) a->conditions[n++] = a->conditions[i];
  }
  a->n_conditions = n;
  Sizes own = run->sizes;
  sizes_of(&run->sizes, file, &cli->arena);
  own.conditions = run->sizes.conditions;
  own.n_conditions = run->sizes.n_conditions;
  own.source = run->sizes.source;
  run->sizes = own;
  Ast ast = {&cli->arena, &cli->arena, cli->diags, false};
  AstList *names = NULL;
  for (uint32_t i = 0; i < own.n; i++)
    names = ast_append(&ast, names, ast_name(&ast, (Span){id, 0, 0}, 0, own.names[i]));
  AstItem *items[] = {ast_sizes(&ast, (Span){id, 0, 0}, names), file->items[0]};
  file->items = arena_copy(&cli->arena, items, sizeof items);
  file->n_items = 2;
  return lang_check(file, NULL, 0, cli->diags);
}

/* Conditions as they are written, and in words. */
static const char *conditions_text(FamilyRun *run) {
  const char *out = "";
  for (uint32_t i = 0; i < run->sizes.n_conditions; i++) {
    Span at = run->sizes.conditions[i]->span;
    const Source *s = sources_get(run->cli->sources, at.source);
    if (s)
      out = arena_printf(&run->cli->arena, "%s%s%.*s", out, *out ? ", " : "", (int)(at.hi - at.lo), s->text + at.lo);
  }
  return out;
}

/* A file that begins as archives do; what is none is not read here. */
static bool may_be_archive(const char *path) {
  struct stat is;
  char head[2] = {0};
  FILE *f = stat(path, &is) == 0 && S_ISREG(is.st_mode) ? fopen(path, "rb") : NULL;
  bool read = f && fread(head, 1, sizeof head, f) == sizeof head;
  if (f) fclose(f);
  return read && !memcmp(head, "PK", sizeof head);
}

/* Conditions of --family, and those of archives that leave sizes open, each once; NULL: there are none. */
static const char *all_conditions(const Cli *cli, Arena *a) {
  const char *out = cli->options.family ? cli->options.family : "", *first = "";
  for (uint32_t i = 0; i < cli->n_args; i++) {
    const char *why;
    uint32_t id = may_be_archive(cli->args[i]) ? sources_load(cli->sources, cli->args[i], &why) : 0;
    const Source *s = id ? sources_get(cli->sources, id) : NULL;
    const char *own = s && pt2_is(s) ? pt2_open_sizes(s, a) : "";
    if (*own && strcmp(own, first)) out = arena_printf(a, "%s%s%s", out, *out ? ", " : "", own);
    if (!i) first = own;
  }
  return *out ? out : NULL;
}

/* A size that --sizes chooses is no size of the family any more. */
static void fix_chosen(FamilyRun *run) {
  Cli *cli = run->cli;
  Ast ast = {&cli->arena, &cli->arena, cli->diags, false};
  const AstExpr **all = ARENA_ARRAY(&cli->arena, const AstExpr *, run->sizes.n_conditions + SIZES_MAX);
  if (run->sizes.n_conditions) memcpy(all, run->sizes.conditions, run->sizes.n_conditions * sizeof *all);
  for (uint32_t i = 0; i < run->sizes.n; i++) {
    Sizes one = {.n = 1, .names = {run->sizes.names[i]}};
    int64_t v;
    if (cli_sizes(cli, &one, &v) < 1) continue;
    const char *text = arena_printf(&cli->arena, "%s == %lld", sym_text(one.names[0]), (long long)v);
    uint32_t id = sources_add(cli->sources, "--sizes", text, strlen(text));
    Span at = {id, 0, (uint32_t)strlen(text)};
    AstExpr *name = ast_name(&ast, at, 0, one.names[0]);
    all[run->sizes.n_conditions++] = ast_binary(&ast, at, EX_EQ, name, ast_number(&ast, at, rat_int(v)));
  }
  run->sizes.conditions = all;
}

/* ---- files for some sizes */

/* The numbers for which `path` is the template's name. */
static bool match_name(const Sizes *s, const char *template, const char *path, int64_t *at) {
  bool seen[SIZES_MAX] = {0};
  while (*template) {
    const char *close = *template == '{' ? strchr(template, '}') : NULL;
    int k = close ? sizes_find(s, sym_n(template + 1, (size_t)(close - template - 1))) : -1;
    if (k < 0) {
      if (*template ++ != *path++) return false;
      continue;
    }
    if (*path < '1' || *path > '9') return false;
    char *end;
    long long v = strtoll(path, &end, 10);
    if (end - path > 18 || (seen[k] && at[k] != v)) return false;
    at[k] = v;
    seen[k] = true;
    path = end;
    template = close + 1;
  }
  return !*path;
}

static int by_sizes(const void *a, const void *b) {
  const int64_t *x = *(const int64_t *const *)a, *y = *(const int64_t *const *)b;
  for (uint32_t i = 0; i < SIZES_MAX; i++)
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  return 0;
}

/* The sizes for which there is a file of the template's name. */
static bool find_files(FamilyRun *run, const char *path) {
  Cli *cli = run->cli;
  const char *folder = ask_folder(&cli->arena, path), *base = report_base(path);
  Domain *d = &run->family.domain;
  Sizes named = {0};
  names_in_braces(&named, base);
  for (uint32_t i = 0; i < run->sizes.n; i++)
    if (sizes_find(&named, run->sizes.names[i]) < 0) {
      diag_error(cli->diags, nowhere, E_USAGE, "the name of the file '%s' does not say the size `%s`", path,
                 sym_text(run->sizes.names[i]));
      diag_hint(cli->diags, "put {%s} into it", sym_text(run->sizes.names[i]));
      return false;
    }
  Vec(const int64_t *) found = {0};
  DIR *dir = opendir(folder);
  for (struct dirent *e; dir && (e = readdir(dir));) {
    int64_t at[SIZES_MAX] = {0};
    if (match_name(&run->sizes, base, e->d_name, at) && sizes_admit(&run->sizes, at))
      vec_push(&found, arena_copy(&cli->arena, at, sizeof at));
  }
  if (dir) closedir(dir);
  if (found.len) qsort(found.at, found.len, sizeof *found.at, by_sizes);
  d->files = ARENA_ARRAY(&cli->arena, const int64_t *, found.len + 1);
  if (found.len) memcpy(d->files, found.at, found.len * sizeof *found.at);
  d->n_files = (uint32_t)found.len;
  vec_free(&found);
  if (d->n_files > (uint32_t)cli->options.size_limit)
    return diag_error(cli->diags, nowhere, E_LIMIT, "there are files of %u sizes (--size-limit=%lld)", d->n_files,
                      (long long)cli->options.size_limit);
  if (d->n_files) return true;
  diag_error(cli->diags, nowhere, E_FILE, "no file is '%s' for sizes of the family", path);
  diag_hint(cli->diags, "braces in a file's name stand for a size: %s",
            sizes_path(&run->sizes, (int64_t[SIZES_MAX]){8, 8, 8, 8, 8, 8, 8, 8}, path, &cli->arena));
  return false;
}

/* The first file of the model whose name has a size in it, or NULL. */
static const char *template_of(FamilyRun *run, const AstFile *file) {
  for (uint32_t i = 0; i < file->n_items; i++) {
    const AstItem *it = file->items[i];
    const char *path = it->kind == ITEM_GRAPH && it->graph.n_paths ? sym_text(it->graph.paths[0]->name) : NULL;
    Sizes s = {0};
    names_in_braces(&s, path);
    for (uint32_t k = 0; k < s.n; k++)
      if (sizes_find(&run->sizes, s.names[k]) >= 0) {
        const char *folder = ask_folder(&run->cli->arena, run->cli->args[0]);
        return arena_printf(&run->cli->arena, "%s/%s", folder, path);
      }
  }
  return NULL;
}

bool family_open(FamilyRun *run, Cli *cli) {
  *run = (FamilyRun){.cli = cli};
  const char *template = NULL;
  run->family.domain = (Domain){.sizes = &run->sizes, .arena = &cli->arena, .limits = lemma_defaults().solver};
  if (cli->n_args == 1) {
    const AstFile *file = ask_parse(cli, cli->args[0]);
    if (!file) return false;
    sizes_of(&run->sizes, file, &cli->arena);
    for (uint32_t i = 0; i < run->sizes.n; i++) opensizes_know(&cli->open, run->sizes.names[i]);
    if (run->sizes.n && !lang_check(file, NULL, 0, cli->diags)) return false;
    if (cli->options.family)
      return diag_error(cli->diags, nowhere, E_USAGE,
                        "a model states its family itself: `size s`, `assume s %% 8 == 0`");
    run->family.file = file;
    template = template_of(run, file);
  } else {
    for (uint32_t i = 0; i < cli->n_args; i++) names_in_braces(&run->sizes, cli->args[i]);
    for (uint32_t i = 0; i < run->sizes.n; i++) opensizes_know(&cli->open, run->sizes.names[i]);
    if (run->sizes.n) template = cli->args[0];
    const char *conditions = all_conditions(cli, &cli->arena);
    if (conditions && !read_option(run, conditions)) return false;
  }
  int64_t chosen[SIZES_MAX];
  if (!run->sizes.n || cli_sizes(cli, &run->sizes, chosen) == run->sizes.n) {
    bool pair = run->sizes.n && cli->n_args == 2; /* files at chosen sizes */
    if (pair) cli->sizes = arena_copy(&cli->arena, &run->sizes, sizeof run->sizes);
    if (pair) cli->sizes_at = arena_copy(&cli->arena, chosen, sizeof chosen);
    return false;
  }
  fix_chosen(run);
  run->conditions = conditions_text(run);
  if (cli->options.certificate)
    return diag_error(cli->diags, nowhere, E_USAGE, "a certificate is of one pair: choose its sizes with --sizes");
  return !template || find_files(run, template);
}

/* ---- one point */

static void add_text(FamilyRun *run, const char *text, bool assumption) {
  for (size_t i = 0; i < (assumption ? run->assumptions.len : run->claims.len); i++)
    if (!strcmp(text, assumption ? run->assumptions.at[i] : run->claims.at[i])) return;
  const char *kept = arena_printf(&run->cli->arena, "%s", text);
  if (assumption) vec_push(&run->assumptions, kept);
  else vec_push(&run->claims, kept);
}

/* Writes the proof down, reads it again and has it checked; returns why that cannot be, or NULL and its numbers. */
static const char *certified(FamilyRun *run, const Asked *a, const CheckReport *r, Numbers *out) {
  CertifyProblem p = {.graph = {a->seq, a->dist}, .relation = a->relation};
  p.library = a->library;
  const Options *o = &run->cli->options;
  Certificate *c = witness_make(r, &p, (WitnessLimits){(double)o->certificate_seconds, (uint64_t)o->certificate_megabytes});
  const char *why = c->beyond ? arena_printf(&run->cli->arena, "the proof has no certificate: %s", c->beyond) : NULL;
  char *text = NULL;
  size_t len = 0;
  FILE *file = open_memstream(&text, &len);
  certificate_write(c, &p, file);
  fclose(file);
  certificate_free(c);
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  c = why ? NULL : certificate_read(&p, sources_add(sources, "certificate", text, len), diags);
  CertifyResult result = {0};
  if (!why && (!c || !certify_all(c, &result))) why = "the checker of certificates does not follow the proof";
  *out = numbers_of(&p, why ? NULL : c, &run->cli->arena);
  certify_result_free(&result);
  if (c) certificate_free(c);
  free(text);
  diags_free(diags);
  sources_free(sources);
  return why;
}

Exit family_take(FamilyRun *run, const Asked *a, const CheckReport *r) {
  static const Exit code[] = {EXIT_VERIFIED, EXIT_REFUTED, EXIT_UNPROVED, EXIT_BROKEN};
  static const Verdict gravity[] = {VERDICT_VERIFIED, VERDICT_UNPROVED, VERDICT_REFUTED, VERDICT_BROKEN};
  FamilyTry *t = run->now;
  for (int k = 3; k >= 0; k--)
    if (gravity[k] == r->verdict || gravity[k] == t->verdict) {
      t->verdict = gravity[k];
      break;
    }
  if (r->verdict == VERDICT_VERIFIED) {
    Numbers n;
    const char *why = certified(run, a, r, &n);
    if (!t->uncertified) t->uncertified = why;
    vec_push(&run->numbers, n);
    for (uint32_t k = 0; k < r->n_outputs; k++) add_text(run, r->outputs[k].relation, false);
    bool first = run->family.tried.len == 0; /* literals are others at every size */
    for (uint32_t k = 0; k < r->n_assumptions && run->assumptions.len < MOST_ASSUMPTIONS; k++)
      if (first || strncmp(r->assumptions[k], "the literal ", 12)) add_text(run, r->assumptions[k], true);
      else run->readings = true;
    return EXIT_VERIFIED;
  }
  char *text = NULL;
  size_t len = 0;
  FILE *out = open_memstream(&text, &len);
  const char *sources =
      run->cli->options.sources ? run->cli->options.sources : ask_folder(&run->cli->arena, sym_text(a->dist->path));
  ReportStyle style = {.folder = sources, .details = (uint32_t)run->cli->options.details};
  if (run->cli->options.json) report_json(r, &style, out);
  else report_text(r, &style, out);
  fclose(out);
  vec_push(&run->failures, ((struct FamilyFailure){t, arena_strdup(&run->cli->arena, text, len)}));
  free(text);
  return code[r->verdict];
}

/* Diagnostics of one point are those of the family: warnings of the first, errors of the one where they are. */
static bool check_at(Family *f, const int64_t *at, FamilyTry *out) {
  FamilyRun *run = f->context;
  Cli *cli = run->cli;
  Diags *before = cli->diags;
  bool first = f->tried.len == 0;
  if (!first) cli->diags = diags_new(cli->sources);
  cli->sizes_at = at;
  run->now = out;
  vec_clear(&run->numbers);
  CheckOptions options = *run->options; /* what is large is proved or not, hardly evaluated */
  options.keeps = true;
  for (uint32_t i = 0; i < run->sizes.n; i++)
    if (at[i] > 1000 && options.exact.max_work > LARGE_WORK) options.exact.max_work = LARGE_WORK;
  const CheckOptions *all = run->options;
  run->options = &options;
  ask_each(cli, cli->n_args, run->answer, run->context);
  run->options = all;
  if (diag_errors(cli->diags)) {
    if (!diag_has_hint(cli->diags)) diag_hint(cli->diags, "this is at %s", sizes_print(&run->sizes, at, &cli->arena));
    if (!first) diags_free(before);
    return false;
  }
  out->n_questions = (uint32_t)run->numbers.len;
  out->numbers = arena_copy(&cli->arena, run->numbers.at, run->numbers.len * sizeof *run->numbers.at);
  if (first) return true;
  diags_free(cli->diags);
  cli->diags = before;
  return true;
}

Exit family_check(FamilyRun *run) {
  Family *f = &run->family;
  f->points = (uint32_t)run->cli->options.size_points;
  f->most = (uint32_t)run->cli->options.size_limit;
  f->check = check_at;
  f->context = run;
  run->cli->sizes = &run->sizes;
  family_run(f);
  if (f->broken) return EXIT_BAD;
  if (!f->tried.len) {
    diag_error(run->cli->diags, (Span){run->sizes.n_conditions ? run->sizes.conditions[0]->span.source : 0, 0, 0},
               E_USAGE, "%s", f->why);
    return EXIT_BAD;
  }
  return family_report(run);
}

void family_close(FamilyRun *run) {
  family_free(&run->family);
  vec_free(&run->numbers);
  vec_free(&run->claims);
  vec_free(&run->assumptions);
  vec_free(&run->failures);
  run->cli->sizes = NULL;
  run->cli->sizes_at = NULL;
}
