#include "frontends/egg/egg.h"

#include "eval/program/command.h"
#include "frontends/egg/read.h"

static bool run_text(Program *e, uint32_t source, void *context) {
  (void)context;
  e->read = sexp_read;
  return command_source(e, source) == RESULT_OK;
}

static bool is_whole(const char *text, size_t n) { return program_closed(text, n, "()", ";"); }

static const char *const words[] = {
    "birewrite", "check",   "constructor",    "cost-model", "datatype",    "datatype*",    "delete",
    "extract",   "fail",    "function",       "include",    "input",       "let",          "output",
    "panic",     "pop",     "print-function", "print-size", "print-stats", "prove",        "push",
    "relation",  "rewrite", "rule",           "ruleset",    "run",         "run-schedule", "set",
    "set-cost",  "sort",    "subsume",        "union",      NULL};

const Syntax egg_syntax = {
    .name = "egg", .check = {"(check ", ")"}, .run = run_text, .is_whole = is_whole, .words = words};

static bool run_source(Program *e, void *source) {
  bool ok = run_text(e, *(uint32_t *)source, NULL);
  return program_ask(e, &egg_syntax, NULL) && ok;
}

ProgramResult egg_run(Diags *diags, uint32_t source, const ProgramOptions *options, FILE *out) {
  return program_run(diags, options, out, run_source, &source);
}
