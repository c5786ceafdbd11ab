/* Statistics of a run: a table of rules, the most expensive first. */
#include "eval/datalog/db.h"

static int by_time(const void *a, const void *b) {
  const Rule *x = *(Rule *const *)a, *y = *(Rule *const *)b;
  if (x->seconds != y->seconds) return x->seconds > y->seconds ? -1 : 1;
  return x->ir.at.lo < y->ir.at.lo ? -1 : x->ir.at.lo > y->ir.at.lo;
}

static void print_text(const char *s, size_t most, FILE *out) {
  for (size_t i = 0; s[i] && i < most; i++) putc(s[i] == '\n' ? ' ' : s[i], out);
}

static void print_json_text(const char *s, FILE *out) {
  putc('"', out);
  for (; *s; s++) {
    if (*s == '"' || *s == '\\')
      fprintf(out, "\\%c", *s);
    else if ((unsigned char)*s < 32)
      fprintf(out, "\\u%04x", *s);
    else
      putc(*s, out);
  }
  putc('"', out);
}

static void print_rule(const Rule *r, FILE *out, bool json, bool first) {
  unsigned long long n[] = {r->matches, r->visited, r->made, r->merged};
  if (!json) {
    fprintf(out, "%10.4f %11llu %12llu %10llu %10llu  ", r->seconds, n[0], n[1], n[2], n[3]);
    print_text(sym_text(r->ir.name), 60, out);
    putc('\n', out);
    return;
  }
  fprintf(out, "%s\n  {\"rule\": ", first ? "" : ",");
  print_json_text(sym_text(r->ir.name), out);
  fprintf(out, ", \"seconds\": %.6f, \"matches\": %llu, \"visited\": %llu, \"rows\": %llu, \"unions\": %llu}",
          r->seconds, n[0], n[1], n[2], n[3]);
}

uint32_t db_n_rules(const Db *db) { return (uint32_t)db->rules.len; }

DbRuleStats db_rule_stats(const Db *db, RuleId rule) {
  const Rule *r = db->rules.at[rule];
  return (DbRuleStats){r->ir.name, r->ir.at, r->matches, r->made, r->merged};
}

void db_print_stats(const Db *db, FILE *out, bool json) {
  size_t n = db->rules.len;
  Rule **order = xmalloc((n + 1) * sizeof *order);
  if (n) memcpy(order, db->rules.at, n * sizeof *order);
  if (n) qsort(order, n, sizeof *order, by_time);
  if (json)
    fputs("{\"rules\": [", out);
  else
    fprintf(out, "%10s %11s %12s %10s %10s  rule\n", "seconds", "matches", "visited", "rows", "unions");
  for (size_t i = 0; i < n; i++) print_rule(order[i], out, json, i == 0);
  if (json) fputs("\n]}\n", out);
  free(order);
}
