#include "frontends/cli/program.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ProgramOptions cli_program_options(Cli *cli) {
  const Options *o = &cli->options;
  WhyQuestion *questions = ARENA_ARRAY(&cli->arena, WhyQuestion, 2);
  uint32_t n = 0;
  if (o->program_explain) questions[n++] = (WhyQuestion){o->program_explain, false};
  if (o->program_why_not) questions[n++] = (WhyQuestion){o->program_why_not, true};
  return (ProgramOptions){
    .fact_directory = *o->program_facts ? o->program_facts : NULL,
    .naive = o->program_naive,
    .strict = o->program_strict,
    .quiet = !strcmp(o->program_mode, "no-messages"),
    .profile = o->program_profile,
    .json = o->json,
    .no_reasons = !strcmp(o->program_reasons, "off"),
    .max_rows = (uint64_t)o->program_max_rows,
    .max_matches = (uint64_t)o->program_max_matches,
    .max_megabytes = (uint64_t)o->program_max_megabytes,
    .max_seconds = (uint64_t)o->program_max_seconds,
    .max_iterations = (uint64_t)o->program_max_iterations,
    .max_dag = (uint64_t)o->program_max_dag,
    .progress = !o->json && isatty(STDERR_FILENO),
    .max_proof_steps = (uint64_t)o->program_proof_steps,
    .max_proof_lines = (uint64_t)o->program_proof_lines,
    .n_questions = n,
    .questions = questions,
  };
}

void cli_program_begin(Cli *cli, Printed *out, ProgramOptions *options) {
  *out = (Printed){0};
  for (int k = 0; k < PRINTED_KINDS; k++)
    out->to[k] = cli->options.json ? open_memstream(&out->text[k], &out->len[k]) : stdout;
  options->answers = out->to[PRINTED_ANSWERS];
}

static void text_json(const char *text, size_t n) {
  json_t *whole = json_stringn(text, n);
  char *written = json_dumps(whole ? whole : json_null(), JSON_ENCODE_ANY); /* a file of facts may hold any bytes */
  fputs(written, stdout);
  free(written);
  json_decref(whole);
}

/* Lines as the elements of a list: as texts, or as what they are. */
static void lines_json(const char *text, size_t len, bool texts) {
  putchar('[');
  for (size_t at = 0, n; at < len; at += n + 1) {
    const char *end = memchr(text + at, '\n', len - at);
    n = end ? (size_t)(end - text) - at : len - at;
    if (at) printf(",\n  ");
    if (texts) text_json(text + at, n);
    else fwrite(text + at, 1, n, stdout);
  }
  putchar(']');
}

/* A member of the object; what nothing was printed to is left out, but for messages. */
static void printed_json(Printed *out, PrintedKind kind) {
  static const char *const names[] = {"messages", "answers", "rules", "derived"};
  fclose(out->to[kind]);
  const char *text = out->text[kind];
  size_t n = out->len[kind];
  if (n || kind == PRINTED_MESSAGES) {
    printf(",\n \"%s\": ", names[kind]);
    if (kind == PRINTED_RULES) fwrite(text, 1, n, stdout);
    else if (kind == PRINTED_DERIVED) text_json(text, n);
    else lines_json(text, n, kind == PRINTED_MESSAGES);
  }
  free(out->text[kind]);
}

Exit cli_program_end(Cli *cli, Printed *out, Diags *diags, ProgramResult result) {
  static const Exit codes[] = {EXIT_VERIFIED, EXIT_BAD, EXIT_REFUTED, EXIT_LIMIT};
  static const char *const verdicts[] = {"done", "error", "failed", "limit"};
  fflush(stdout);
  if (cli->options.json && (out || result != PROGRAM_OK)) {
    printf("{\"verdict\": \"%s\"", verdicts[result]);
    for (int k = 0; out && k < PRINTED_KINDS; k++) printed_json(out, (PrintedKind)k);
    printf(",\n \"diagnostics\": ");
    diags_json(diags, stdout);
    printf("}\n");
  } else {
    diags_print(diags, stderr, cli_colour(cli, STDERR_FILENO));
  }
  diags_free(diags);
  return codes[result];
}
