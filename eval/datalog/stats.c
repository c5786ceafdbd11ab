/* Statistics of a run. */
#include "eval/datalog/db.h"

void db_print_stats(const Db *db, FILE *out, bool json) {
  if (json) fputs("{\"rules\": [", out);
  for (size_t i = 0; i < db->rules.len; i++) {
    const Rule *r = db->rules.at[i];
    if (json)
      fprintf(out, "%s\n  {\"rule\": %zu, \"matches\": %llu}", i ? "," : "", i, (unsigned long long)r->matches);
    else
      fprintf(out, "  %llu matches of %.60s\n", (unsigned long long)r->matches, sym_text(r->ir.name));
  }
  if (json) fputs("\n]}\n", out);
}
