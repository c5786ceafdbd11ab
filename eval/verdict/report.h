/* Report: a CheckReport for people and for programs.  One renderer a file: report_text.c, report_json.c. */
#ifndef TVR_REPORT_H
#define TVR_REPORT_H
#include <stdio.h>

#include "eval/verdict/check.h"

typedef struct ReportStyle {
  bool colour;
  const char *folder; /* of the graphs: source lines are looked for relative to it; NULL: not shown */
  double read_seconds;
  uint32_t details; /* failing outputs whose evidence the text shows; 0: all */
} ReportStyle;

enum { REPORT_FRAMES = 4 }; /* source places named for an operator */
enum { REPORT_FORMAT = 1 }; /* of the JSON: the next one where a member means something else, or is gone */

/* The file's name without its folder. */
const char *report_base(const char *path);
/* Where the file has an operator: "seq.hlo:12"; where it has no lines, what it calls it: "plan.pkl, node 12". */
void report_place(const Graph *g, const Node *n, char *out, size_t size);
/* The lemma an unproved output lacks although evaluation agrees; NULL: none that can be written. */
const char *report_lemma(const CheckReport *r, const CheckOutput *o);
void report_text(const CheckReport *r, const ReportStyle *style, FILE *out);
/* The same of a distributed program that has a fault. */
void report_fault(const Graph *g, const ReportStyle *style, bool json, FILE *out);
/* One JSON object and a newline. */
void report_json(const CheckReport *r, const ReportStyle *style, FILE *out);
#endif
