#include "eval/program/print.h"

#include "eval/datalog/number.h"

/* A text that may be far larger than the shared term it shows: written through a window in which the texts of small
 * terms are found again and kept for their next occurrence. */
enum { WINDOW = 1 << 16, SMALL = 1 << 12 };

typedef struct {
  Program *program;
  FILE *file;
  Arena texts;
  size_t start; /* bytes written before the window */
  size_t len;
  char at[WINDOW];
} Out;

static void flush(Out *o) {
  fwrite(o->at, 1, o->len, o->file);
  o->start += o->len;
  o->len = 0;
}

static void put(Out *o, const char *s, size_t n) {
  if (o->len + n > WINDOW) flush(o);
  if (n > WINDOW) {
    fwrite(s, 1, n, o->file);
    o->start += n;
    return;
  }
  memcpy(o->at + o->len, s, n);
  o->len += n;
}

static void put_text(Out *o, const char *s) { put(o, s, strlen(s)); }

static void put_string(Out *o, const char *s) {
  put(o, "\"", 1);
  for (; *s; s++) {
    bool blank = o->program->infix && (*s == '\n' || *s == '\t');
    if (*s == '"' || *s == '\\' || blank) put(o, "\\", 1);
    put(o, blank ? (*s == '\n' ? "n" : "t") : s, 1);
  }
  put(o, "\"", 1);
}

static void put_rational(Out *o, Rat r, bool integer) {
  char *s = number_rat_text(r), *slash = strchr(s, '/');
  if (o->program->infix) {
    put_text(o, s);
    free(s);
    return;
  }
  if (slash) *slash = 0;
  put_text(o, integer ? "(from-string \"" : "(bigrat (from-string \"");
  put_text(o, s);
  if (!integer) {
    put_text(o, "\") (from-string \"");
    put_text(o, slash ? slash + 1 : "1");
    put_text(o, "\")");
  }
  put_text(o, integer ? "\")" : ")");
  free(s);
}

static void put_value(Out *o, const Term *t) {
  const Db *db = o->program->db;
  char buf[NUMBER_TEXT];
  switch (db_sort(db, t->sort)->kind) {
  case SORT_UNIT: put_text(o, "()"); break;
  case SORT_BOOL: put_text(o, t->value ? "true" : "false"); break;
  case SORT_I64:
    snprintf(buf, sizeof buf, "%lld", (long long)db_get_int(db, t->value));
    put_text(o, buf);
    break;
  case SORT_F64:
    number_float(db_get_float(db, t->value), buf);
    put_text(o, buf);
    break;
  case SORT_STRING: put_string(o, sym_text(t->value)); break;
  case SORT_BIGINT: put_rational(o, db_get_rat(db, t->value), true); break;
  case SORT_BIGRAT: put_rational(o, db_get_rat(db, t->value), false); break;
  default: break;
  }
}

/* What a call starts with: `(f`, or `f(`. */
static void put_head(Out *o, const Term *t) {
  const Db *db = o->program->db;
  bool infix = o->program->infix;
  const SortId *bound;
  const char *name = "";
  if (t->table != IR_NONE) {
    name = sym_text(db_table_spec(db, t->table)->name);
  } else {
    switch (db_sort(db, t->sort)->kind) {
    case SORT_VEC: name = t->n ? "vec-of" : "vec-empty"; break;
    case SORT_SET: name = "set-of"; break;
    case SORT_MAP: name = "map-of"; break;
    case SORT_MULTISET: name = "multiset-of"; break;
    case SORT_PAIR: name = "pair"; break;
    case SORT_FN: name = infix ? "closure" : "unstable-fn "; break;
    default: break;
    }
  }
  if (!infix) put(o, "(", 1);
  for (const char *c = name; *c; c++) put(o, infix && *c == '-' ? "_" : c, 1);
  if (infix) put(o, "(", 1);
  if (t->table != IR_NONE || db_sort(db, t->sort)->kind != SORT_FN) return;
  name = sym_text(db_function_name(db, t->value, &bound));
  infix ? put_text(o, name) : put_string(o, name);
}

static const char *separator(const Out *o, const Term *t, uint32_t next) {
  bool first = !next && (t->table != IR_NONE || db_sort(o->program->db, t->sort)->kind != SORT_FN);
  return !o->program->infix ? " " : first ? "" : ", ";
}

typedef struct {
  Term *term;
  uint32_t next; /* argument to print */
  size_t from;   /* where its text starts */
} Frame;

typedef Vec(Term *) TermList;

/* Keeps the text written since `from` if it is small and still in the window. */
static void remember(Out *o, Term *t, size_t from) {
  size_t n = o->start + o->len - from;
  if (n > SMALL || from < o->start) return;
  t->text = arena_strdup(&o->texts, o->at + (from - o->start), n);
  t->len = (uint32_t)n;
  t->stamp = o->program->printing;
}

static void put_term(Out *o, Term *root) {
  Vec(Frame) stack = {0};
  vec_push(&stack, (Frame){root, 0, 0});
  while (stack.len) {
    Frame *f = &vec_last(&stack);
    Term *t = f->term;
    if (t->stamp == o->program->printing) {
      put(o, t->text, t->len);
      stack.len--;
      continue;
    }
    if (!f->next) {
      f->from = o->start + o->len;
      if (t->table == IR_NONE && !db_sort(o->program->db, t->sort)->is_id)
        put_value(o, t);
      else
        put_head(o, t);
    }
    if (f->next == t->n) {
      if (t->table != IR_NONE || db_sort(o->program->db, t->sort)->is_id) put(o, ")", 1);
      remember(o, t, f->from);
      stack.len--;
      continue;
    }
    put_text(o, separator(o, t, f->next));
    Term *arg = t->arg[f->next++];
    vec_push(&stack, (Frame){arg, 0, 0});
  }
  vec_free(&stack);
}

static Out *out_new(Program *e, FILE *file) {
  Out *o = xmalloc(sizeof *o);
  o->program = e;
  o->file = file;
  o->texts = (Arena){0};
  o->start = o->len = 0;
  e->printing++;
  return o;
}

static void out_end(Out *o) {
  flush(o);
  arena_free(&o->texts);
  free(o);
}

void print_term(Program *e, Term *root, FILE *file) {
  Out *o = out_new(e, file);
  put_term(o, root);
  out_end(o);
}


/* ---- dags ---- */

/* Terms of a dag, arguments first; counts how often each is an argument. */
static void count_uses(Program *e, Term *root, TermList *order) {
  Vec(Frame) stack = {0};
  root->counted = e->printing;
  root->uses = 0;
  vec_push(&stack, (Frame){root, 0, 0});
  while (stack.len) {
    Frame *f = &vec_last(&stack);
    if (f->next == f->term->n) {
      vec_push(order, f->term);
      stack.len--;
      continue;
    }
    Term *arg = f->term->arg[f->next++];
    bool met = arg->counted == e->printing;
    arg->counted = e->printing;
    arg->uses = met ? arg->uses + 1 : 1;
    if (!met) vec_push(&stack, (Frame){arg, 0, 0});
  }
  vec_free(&stack);
}

/* Worth a name: a call of calls that is used again. */
static bool is_named(const Term *t) {
  bool of_calls = false;
  for (uint32_t i = 0; i < t->n; i++) of_calls |= t->arg[i]->n > 0;
  return t->uses > 1 && of_calls;
}

/* The next of the names s1, s2 .. that nothing has. */
static const char *next_name(Program *e, Arena *texts, uint32_t *n) {
  const char *name;
  do name = arena_printf(texts, e->infix ? "s%u" : "$s%u", ++*n);
  while (name_of(e, sym(name))->kind);
  return name;
}

void print_dag(Program *e, Term *root, FILE *file) {
  Out *o = out_new(e, file);
  TermList order = {0};
  Arena names = {0};
  uint32_t n = 0;
  count_uses(e, root, &order);
  for (size_t i = 0; i < order.len; i++) {
    Term *t = order.at[i];
    if (!is_named(t)) continue;
    const char *name = next_name(e, &names, &n);
    put_text(o, e->infix ? "let " : "(let ");
    put_text(o, name);
    put_text(o, e->infix ? " = " : " ");
    put_term(o, t);
    put_text(o, e->infix ? "\n" : ")\n");
    t->text = name;
    t->len = (uint32_t)strlen(name);
    t->stamp = e->printing;
  }
  put_term(o, root);
  vec_free(&order);
  arena_free(&names);
  out_end(o);
}

char *print_term_text(Program *e, Term *t) {
  char *text = NULL;
  size_t len = 0;
  FILE *f = open_memstream(&text, &len);
  if (!f) return NULL;
  print_term(e, t, f);
  fclose(f);
  return text;
}

typedef struct {
  Program *program;
  TableId table;
  uint64_t left;
  bool csv;
  FILE *out;
  Extraction *best;
  bool too_large; /* a term has been */
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
  Term *t = extraction_term(p->best, s, v);
  if (t && t->size > PRINT_MOST) p->too_large = true;
  if (p->too_large) return;
  if (!p->csv) {
    if (t)
      print_term(p->program, t, p->out);
    else
      fputs("Unextractable", p->out);
    return;
  }
  char *text = t ? print_term_text(p->program, t) : NULL;
  print_csv_field(text ? text : "Unextractable", p->out);
  free(text);
}

/* A relation's row as the term it stands for. */
static void print_row_term(TablePrinter *p, const TableSpec *spec, const Val *cols) {
  bool infix = p->program->infix;
  fprintf(p->out, infix ? "%s(" : "(%s", sym_text(spec->name));
  for (uint32_t i = 0; i < spec->n_in; i++) {
    fputs(!infix ? " " : i ? ", " : "", p->out);
    print_cell(p, spec->in[i], cols[i]);
  }
  putc(')', p->out);
}

/* A relation's term as its output: subsumed, or of what has no term, it cannot be extracted. */
static void print_relation_output(TablePrinter *p, const TableSpec *spec, const Val *cols) {
  bool whole = !db_is_subsumed(p->program->db, p->table, cols);
  for (uint32_t i = 0; whole && i < spec->n_in; i++) whole = extraction_term(p->best, spec->in[i], cols[i]) != NULL;
  if (whole) print_row_term(p, spec, cols);
  else fputs("Unextractable", p->out);
}

static bool print_row(void *ctx, const Val *cols) {
  TablePrinter *p = ctx;
  const TableSpec *spec = db_table_spec(p->program->db, p->table);
  bool relation = spec->kind == TABLE_RELATION;
  if (!p->left || p->too_large) return false;
  p->left--;
  if (p->csv) {
    print_csv_field(sym_text(spec->name), p->out);
    for (uint32_t i = 0; i < spec->n_in + (!relation && spec->out != SORT_UNIT); i++) {
      putc(',', p->out);
      print_cell(p, i < spec->n_in ? spec->in[i] : spec->out, cols[i]);
    }
    if (relation) {
      char *text = NULL;
      size_t len = 0;
      TablePrinter q = *p;
      q.csv = false;
      q.out = open_memstream(&text, &len);
      print_relation_output(&q, spec, cols);
      fclose(q.out);
      p->too_large |= q.too_large;
      putc(',', p->out);
      print_csv_field(text, p->out);
      free(text);
    }
    putc('\n', p->out);
    return true;
  }
  bool infix = p->program->infix;
  fputs(infix ? "" : "   ", p->out);
  print_row_term(p, spec, cols);
  if (relation && !infix) {
    fputs(" -> ", p->out);
    print_relation_output(p, spec, cols);
  } else if (!relation && spec->out != SORT_UNIT) {
    fputs(infix ? " = " : " -> ", p->out);
    print_cell(p, spec->out, cols[spec->n_in]);
  }
  putc('\n', p->out);
  return true;
}

/* Texts in order, runs of digits as the numbers they are. */
static int natural(const void *a, const void *b) {
  const char *x = *(char *const *)a, *y = *(char *const *)b;
  while (*x && *y) {
    size_t n = strspn(x, "0123456789"), m = strspn(y, "0123456789");
    int c = n && n != m && m ? (n < m ? -1 : 1) : n && m ? memcmp(x, y, n) : (unsigned char)*x - (unsigned char)*y;
    if (c) return c;
    x += n ? n : 1;
    y += n ? n : 1;
  }
  return (unsigned char)*x - (unsigned char)*y;
}

/* In an order of their own: that of the rows follows from how rules were joined. */
static void print_sorted(TablePrinter *p, uint64_t most) {
  char *text = NULL;
  size_t len = 0, n = 0;
  FILE *to = p->out;
  p->out = open_memstream(&text, &len);
  if (!p->out) return;
  db_rows(p->program->db, p->table, print_row, p);
  fclose(p->out);
  Vec(char *) lines = {0};
  for (char *at = text; at < text + len; at = strchr(at, 0) + 1) {
    char *end = strchr(at, '\n');
    if (end) *end = 0;
    vec_push(&lines, at);
  }
  if (lines.len) qsort(lines.at, lines.len, sizeof *lines.at, natural);
  for (size_t i = 0; i < lines.len && n < most; i++, n++) fprintf(to, "%s\n", lines.at[i]);
  vec_free(&lines);
  free(text);
}

bool print_table(Program *e, TableId t, uint64_t most, bool csv, FILE *out) {
  TablePrinter p = {e, t, most, csv, out, db_extract(e->db, NULL), false};
  bool framed = !csv && !e->infix;
  const TableSpec *spec = db_table_spec(e->db, t);
  SortId *asked = xmalloc((spec->n_in + 1) * sizeof *asked);
  if (spec->n_in) memcpy(asked, spec->in, spec->n_in * sizeof *asked);
  asked[spec->n_in] = spec->out;
  extraction_ask_for(p.best, asked, spec->n_in + (spec->kind != TABLE_RELATION));
  free(asked);
  if (e->infix && !csv) {
    p.left = UINT64_MAX;
    print_sorted(&p, most);
    return !p.too_large;
  }
  if (framed) fputs("(\n", out);
  db_rows(e->db, t, print_row, &p);
  if (framed) fputs(")\n", out);
  return !p.too_large;
}

typedef struct {
  TablePrinter printer;
  char separator;
  bool ok;
} FieldPrinter;

static bool print_fields(void *ctx, const Val *cols) {
  FieldPrinter *f = ctx;
  TablePrinter *p = &f->printer;
  const TableSpec *spec = db_table_spec(p->program->db, p->table);
  uint32_t n = spec->n_in + (spec->kind != TABLE_RELATION && spec->out != SORT_UNIT);
  for (uint32_t i = 0; i < n; i++) {
    SortId sort = i < spec->n_in ? spec->in[i] : spec->out;
    Term *t = sort == SORT_STRING ? NULL : extraction_term(p->best, sort, cols[i]);
    if (t && t->size > PRINT_MOST) return f->ok = false;
    char *text = t ? print_term_text(p->program, t) : NULL;
    const char *field = text ? text : sort == SORT_STRING ? sym_text(cols[i]) : "Unextractable";
    if (i) putc(f->separator, p->out);
    f->ok &= f->separator == ',' || !strpbrk(field, "\t\n\r");
    f->separator == ',' ? print_csv_field(field, p->out) : (void)fputs(field, p->out);
    free(text);
  }
  putc('\n', p->out);
  return true;
}

char *print_rows_text(Program *e, TableId t, char separator) {
  char *text = NULL;
  size_t len = 0;
  FieldPrinter f = {{e, t, UINT64_MAX, false, open_memstream(&text, &len), db_extract(e->db, NULL), false},
                    separator,
                    true};
  if (!f.printer.out) return NULL;
  db_rows(e->db, t, print_fields, &f);
  fclose(f.printer.out);
  if (f.ok) return text;
  free(text);
  return NULL;
}

typedef struct {
  const char *name;
  uint32_t size;
} Size;

static int compare_sizes(const void *a, const void *b) {
  return strcmp(((const Size *)a)->name, ((const Size *)b)->name);
}

void print_sizes(Program *e, FILE *out) {
  Vec(Size) all = {0};
  for (TableId t = 0; t < db_n_tables(e->db); t++) {
    const TableSpec *spec = db_table_spec(e->db, t);
    if (!spec->hidden) vec_push(&all, (Size){sym_text(spec->name), db_size(e->db, t)});
  }
  if (all.len) qsort(all.at, all.len, sizeof *all.at, compare_sizes);
  if (!e->infix) putc('(', out);
  for (size_t i = 0; i < all.len; i++)
    e->infix ? fprintf(out, "%s: %u\n", all.at[i].name, all.at[i].size)
             : fprintf(out, "%s(%s %u)", i ? "\n " : "", all.at[i].name, all.at[i].size);
  if (!e->infix) fputs(")\n", out);
  vec_free(&all);
}
