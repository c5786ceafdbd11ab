/* A program that does not run to its end: there is nothing to compare, and the plan is wrong. */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "eval/verdict/report.h"
#include "eval/verdict/source_line.h"

static void fault_json(const Graph *g, const char *at, FILE *out) {
  const Fault *f = g->fault;
  json_t *o = json_object(), *blame = json_array(), *b = json_object();
  json_object_set_new(o, "format", json_integer(REPORT_FORMAT));
  json_object_set_new(b, "at", json_string_nocheck(at));
  json_object_set_new(b, "graph", json_string("dist"));
  json_object_set_new(b, "op", json_string_nocheck(sym_text(f->op)));
  json_object_set_new(b, "name", json_string_nocheck(sym_text(f->name)));
  json_object_set_new(b, "why", json_string_nocheck(f->text));
  json_array_append_new(blame, b);
  json_object_set_new(o, "verdict", json_string("refuted"));
  json_object_set_new(o, "fault", json_string_nocheck(f->text));
  json_object_set_new(o, "outputs", json_array());
  json_object_set_new(o, "blame", blame);
  json_dumpf(o, out, JSON_INDENT(1) | JSON_ENSURE_ASCII);
  fputc('\n', out);
  json_decref(o);
}

void report_fault(const Graph *g, const ReportStyle *style, bool json, FILE *out) {
  const Fault *f = g->fault;
  Arena a = {0};
  const char *at = f->at ? arena_strdup(&a, sym_text(f->at), strcspn(sym_text(f->at), "\n"))
                   : f->line ? arena_printf(&a, "%s:%" PRIu32, report_base(sym_text(g->path)), f->line)
                             : report_base(sym_text(g->path));
  if (json) {
    fault_json(g, at, out);
  } else {
    const char *line = source_line(style->folder, at, &a);
    fprintf(out, "%srefuted%s: the distributed program does not run to its end\n  %s\n    at %s\n",
            style->colour ? "\033[31m" : "", style->colour ? "\033[0m" : "", f->text, at);
    if (line) fprintf(out, "    | %s\n", line);
  }
  arena_free(&a);
}
