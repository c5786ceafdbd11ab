#include "frontends/egg/print.h"

#include "eval/datalog/number.h"

static void print_string(const char *s, FILE *out) {
  putc('"', out);
  for (; *s; s++) {
    if (*s == '"' || *s == '\\') putc('\\', out);
    putc(*s, out);
  }
  putc('"', out);
}

static void print_rational(Rat r, FILE *out) {
  char *s = number_rat_text(r), *slash = strchr(s, '/');
  if (slash) *slash = 0;
  fprintf(out, "(bigrat (from-string \"%s\") (from-string \"%s\"))", s, slash ? slash + 1 : "1");
  free(s);
}

static void print_value(const Egg *e, const Term *t, FILE *out) {
  char buf[NUMBER_TEXT];
  switch (db_sort(e->db, t->sort)->kind) {
  case SORT_UNIT: fputs("()", out); break;
  case SORT_BOOL: fputs(t->value ? "true" : "false", out); break;
  case SORT_I64: fprintf(out, "%lld", (long long)db_get_int(e->db, t->value)); break;
  case SORT_F64:
    number_float(db_get_float(e->db, t->value), buf);
    fputs(buf, out);
    break;
  case SORT_STRING: print_string(sym_text(t->value), out); break;
  case SORT_BIGINT: {
    char *s = number_rat_text(db_get_rat(e->db, t->value));
    fprintf(out, "(from-string \"%s\")", s);
    free(s);
    break;
  }
  case SORT_BIGRAT: print_rational(db_get_rat(e->db, t->value), out); break;
  default: break;
  }
}

static void print_head(const Egg *e, const Term *t, FILE *out) {
  const SortId *bound;
  putc('(', out);
  if (t->table != IR_NONE) {
    fputs(sym_text(db_table_spec(e->db, t->table)->name), out);
    return;
  }
  switch (db_sort(e->db, t->sort)->kind) {
  case SORT_VEC: fputs(t->n ? "vec-of" : "vec-empty", out); break;
  case SORT_SET: fputs("set-of", out); break;
  case SORT_MAP: fputs(t->n ? "map-of" : "map-empty", out); break;
  case SORT_MULTISET: fputs("multiset-of", out); break;
  case SORT_PAIR: fputs("pair", out); break;
  case SORT_FN:
    fputs("unstable-fn ", out);
    print_string(sym_text(db_function_name(e->db, t->value, &bound)), out);
    break;
  default: break;
  }
}

typedef struct {
  const Term *term;
  uint32_t next; /* argument to print */
} Frame;

void print_term(const Egg *e, const Term *root, FILE *out) {
  Vec(Frame) stack = {0};
  vec_push(&stack, (Frame){root, 0});
  while (stack.len) {
    Frame *f = &vec_last(&stack);
    const Term *t = f->term;
    if (t->table == IR_NONE && !db_sort(e->db, t->sort)->is_id) {
      print_value(e, t, out);
      stack.len--;
      continue;
    }
    if (!f->next) print_head(e, t, out);
    if (f->next == t->n) {
      putc(')', out);
      stack.len--;
      continue;
    }
    putc(' ', out);
    const Term *arg = t->arg[f->next++];
    vec_push(&stack, (Frame){arg, 0});
  }
  vec_free(&stack);
}

char *print_term_text(const Egg *e, const Term *t) {
  char *text = NULL;
  size_t len = 0;
  FILE *f = open_memstream(&text, &len);
  if (!f) return NULL;
  print_term(e, t, f);
  fclose(f);
  return text;
}

typedef struct {
  Egg *egg;
  TableId table;
  uint64_t left;
  bool csv;
  FILE *out;
  Extraction *best;
} TablePrinter;

static void print_csv_field(const char *s, FILE *out) {
  if (!strpbrk(s, ",\"\n\r")) {
    fputs(s, out);
    return;
  }
  putc('"', out);
  for (; *s; s++) {
    if (*s == '"') putc('"', out);
    putc(*s, out);
  }
  putc('"', out);
}

static void print_cell(TablePrinter *p, SortId s, Val v) {
  const Term *t = extraction_term(p->best, s, v);
  if (!p->csv) {
    if (t)
      print_term(p->egg, t, p->out);
    else
      fputs("Unextractable", p->out);
    return;
  }
  char *text = t ? print_term_text(p->egg, t) : NULL;
  print_csv_field(text ? text : "Unextractable", p->out);
  free(text);
}

/* A relation's row as the term it stands for. */
static void print_row_term(TablePrinter *p, const TableSpec *spec, const Val *cols) {
  fprintf(p->out, "(%s", sym_text(spec->name));
  for (uint32_t i = 0; i < spec->n_in; i++) {
    putc(' ', p->out);
    print_cell(p, spec->in[i], cols[i]);
  }
  putc(')', p->out);
}

static bool print_row(void *ctx, const Val *cols) {
  TablePrinter *p = ctx;
  const TableSpec *spec = db_table_spec(p->egg->db, p->table);
  bool relation = spec->kind == TABLE_RELATION;
  if (!p->left) return false;
  p->left--;
  if (p->csv) {
    print_csv_field(sym_text(spec->name), p->out);
    for (uint32_t i = 0; i < spec->n_in + !relation; i++) {
      putc(',', p->out);
      print_cell(p, i < spec->n_in ? spec->in[i] : spec->out, cols[i]);
    }
    if (relation) {
      char *text = NULL;
      size_t len = 0;
      TablePrinter q = *p;
      q.csv = false;
      q.out = open_memstream(&text, &len);
      print_row_term(&q, spec, cols);
      fclose(q.out);
      putc(',', p->out);
      print_csv_field(text, p->out);
      free(text);
    }
    putc('\n', p->out);
    return true;
  }
  fputs("   ", p->out);
  print_row_term(p, spec, cols);
  if (relation) {
    fputs(" -> ", p->out);
    print_row_term(p, spec, cols);
  } else if (spec->out != SORT_UNIT) {
    fputs(" -> ", p->out);
    print_cell(p, spec->out, cols[spec->n_in]);
  }
  putc('\n', p->out);
  return true;
}

void print_table(Egg *e, TableId t, uint64_t most, bool csv, FILE *out) {
  TablePrinter p = {e, t, most, csv, out, db_extract(e->db)};
  if (!csv) fputs("(\n", out);
  db_rows(e->db, t, print_row, &p);
  if (!csv) fputs(")\n", out);
}

typedef struct {
  const char *name;
  uint32_t size;
} Size;

static int compare_sizes(const void *a, const void *b) { return strcmp(((const Size *)a)->name, ((const Size *)b)->name); }

void print_sizes(Egg *e, FILE *out) {
  Vec(Size) all = {0};
  for (TableId t = 0; t < db_n_tables(e->db); t++) {
    const TableSpec *spec = db_table_spec(e->db, t);
    if (!spec->hidden) vec_push(&all, (Size){sym_text(spec->name), db_size(e->db, t)});
  }
  if (all.len) qsort(all.at, all.len, sizeof *all.at, compare_sizes);
  putc('(', out);
  for (size_t i = 0; i < all.len; i++) fprintf(out, "%s(%s %u)", i ? "\n " : "", all.at[i].name, all.at[i].size);
  fputs(")\n", out);
  vec_free(&all);
}
