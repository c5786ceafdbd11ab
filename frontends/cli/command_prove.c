/* tvr prove: every lemma of a file, broken or proved. */
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "eval/verdict/lemma_check.h"
#include "frontends/cli/cli.h"
#include "lang/lang.h"

static void print_text(const LemmaReport *r, bool colour) {
  bool good = r->status <= LEMMA_AXIOM, bad = r->status >= LEMMA_FALSE;
  printf("%s%-8s%s %-28s %u shape%s",
         colour ? good  ? "\033[32m"
                  : bad ? "\033[31m"
                        : "\033[33m"
                : "",
         lemma_status_text(r->status), colour ? "\033[0m" : "", sym_text(r->name), r->shapes,
         r->shapes == 1 ? " " : "s");
  if (colour) printf("  %.1f ms", r->seconds * 1e3);
  printf("\n");
  if (r->conditions && good) printf("  where %s\n", r->conditions);
  if (r->how) printf("  by %s\n", r->how);
  if (r->status == LEMMA_FALSE) {
    printf("  on %s\n  at %s the left side is %s, the right side %s\n", r->shape, r->at, r->left, r->right);
    for (const char *line = r->inputs; line;) { /* one input a line */
      const char *end = strchr(line, '\n');
      printf("  %s %.*s\n", line == r->inputs ? "with" : "    ", (int)(end ? (size_t)(end - line) : strlen(line)),
             line);
      line = end && end[1] ? end + 1 : NULL;
    }
  }
  if (r->status == LEMMA_TESTED || r->status == LEMMA_OPEN) {
    printf("  on %s %s\n", r->shape,
           r->status == LEMMA_TESTED ? "the sides agree on random inputs, but are not proved equal"
                                     : "the sides could neither be proved equal nor evaluated");
    if (r->want) printf("    left  %s\n    right %s\n", r->want, r->have);
  }
}

static json_t *optional(const char *s) { return s ? json_string(s) : json_null(); }

static json_t *as_json(const LemmaReport *r) {
  return json_pack("{s:s, s:s, s:i, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "lemma", sym_text(r->name), "status",
                   lemma_status_text(r->status), "shapes", (int)r->shapes, "seconds", r->seconds, "by",
                   optional(r->how), "where", optional(r->conditions), "shape", optional(r->shape), "at",
                   optional(r->at), "left", optional(r->left), "right", optional(r->right), "inputs",
                   optional(r->inputs));
}

static bool has_lemmas(const AstFile *file) {
  for (uint32_t i = 0; i < file->n_items; i++)
    if (file->items[i]->kind == ITEM_LEMMA) return true;
  return false;
}

/* The lemmas of a file, in order; those before may serve those after. */
static Exit prove_file(Cli *cli, Library *library, const AstFile *file) {
  CheckOptions options = check_defaults();
  LemmaStatus worst = LEMMA_NORMAL;
  json_t *all = json_array();
  uint32_t n = 0;
  for (uint32_t i = 0; i < file->n_items; i++) {
    if (file->items[i]->kind != ITEM_LEMMA) continue;
    LemmaReport r = lemma_check(file->items[i], library, &options, &cli->arena, cli->diags);
    if (r.status > worst) worst = r.status;
    n++;
    if (cli->options.json)
      json_array_append_new(all, as_json(&r));
    else
      print_text(&r, isatty(STDOUT_FILENO) && strcmp(cli->options.colour, "never") != 0);
  }
  if (cli->options.json) {
    json_dumpf(all, stdout, JSON_INDENT(1));
    printf("\n");
  } else {
    printf("%u lemma%s, %s\n", n, n == 1 ? "" : "s",
           worst <= LEMMA_DERIVED ? "all proved"
           : worst == LEMMA_AXIOM ? "all proved or axioms"
           : worst >= LEMMA_FALSE ? "not all true"
                                  : "not all proved");
  }
  json_decref(all);
  if (worst == LEMMA_WRONG) return EXIT_BAD;
  return worst <= LEMMA_AXIOM ? EXIT_VERIFIED : worst == LEMMA_FALSE ? EXIT_REFUTED : EXIT_UNPROVED;
}

/* A file's lemmas; without a file, those of the standard library. */
Exit command_prove(Cli *cli) {
  Library *library = cli_library(cli);
  if (!library) return EXIT_BAD;
  Exit code = EXIT_VERIFIED;
  uint32_t n;
  const AstFile *const *files = library_files(library, &n);
  if (cli->n_args) {
    size_t before = diag_errors(cli->diags);
    uint32_t id = cli_load(cli, cli->args[0]);
    AstFile *file = id ? lang_parse(&cli->arena, cli->diags, id) : NULL;
    code = EXIT_BAD;
    if (file && diag_errors(cli->diags) == before && lang_check(file, files, n, cli->diags)) {
      library_add(library, file);
      code = prove_file(cli, library, file);
    }
  }
  for (uint32_t i = 0; !cli->n_args && i < n; i++) {
    const AstFile *file = library_files(library, &(uint32_t){0})[i];
    Exit e = has_lemmas(file) ? prove_file(cli, library, file) : EXIT_VERIFIED;
    if (e > code) code = e;
  }
  library_free(library);
  return code;
}
