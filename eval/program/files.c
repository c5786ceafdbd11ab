/* `input` and `output`: rows from files, terms and rows into files.  Fields are separated by tabs; in a .csv file of a
 * .tvr program by commas, and quoted where need be (RFC 4180).  (egglog reads files of any name by tabs.) */
#include <errno.h>

#include "eval/program/command.h"
#include "eval/program/print.h"
#include "lang/lang.h"

#define ERROR(...) (diag_error(e->diags, __VA_ARGS__), RESULT_BAD)

/* Bytes of the white space that ends at `end`. */
static uint32_t space_before(const char *s, const char *end) {
  for (uint32_t n = 1; n <= 3 && s + n <= end; n++)
    if (sexp_space(end - n) == n) return n;
  return 0;
}

static void trim(const char **s, const char **end) {
  for (uint32_t n; *s < *end && (n = sexp_space(*s)); *s += n) continue;
  for (uint32_t n; *s < *end && (n = space_before(*s, *end)); *end -= n) continue;
}

static bool read_field(Program *e, SortId sort, const char *s, const char *end, Val *out) {
  trim(&s, &end);
  char buf[64], *stop;
  size_t n = (size_t)(end - s);
  if (sort == SORT_STRING) {
    *out = sym_n(s, n);
    return true;
  }
  if (sort == SORT_UNIT) return n == 0;
  if (!n || n >= sizeof buf) return false;
  memcpy(buf, s, n);
  buf[n] = 0;
  errno = 0;
  if (sort == SORT_I64) {
    *out = db_int(e->db, strtoll(buf, &stop, 10));
    return !*stop && !errno && strchr("+-0123456789", *buf);
  }
  *out = db_float(e->db, strtod(buf, &stop));
  return !*stop && !strpbrk(buf, "xXpP");
}

/* One line, its fields separated by tabs.  A value of sort Unit may have one, whatever it says. */
static bool read_line(Program *e, const TableSpec *spec, uint32_t n_cols, TableId table, const char *s, const char *end,
                      Val *cols, Span at) {
  uint32_t n = 0;
  bool unit = spec->kind == TABLE_FUNCTION && spec->out == SORT_UNIT;
  uint32_t fields = n_cols - unit;
  for (const char *p = s; n < fields; n++) {
    const char *tab = memchr(p, '\t', (size_t)(end - p)), *stop = tab ? tab : end;
    if (!read_field(e, n < spec->n_in ? spec->in[n] : spec->out, p, stop, &cols[n])) return false;
    if (!tab) {
      n++;
      p = end + 1;
      break;
    }
    p = tab + 1;
    if (n + 1 == fields && (!unit || memchr(p, '\t', (size_t)(end - p)))) return false;
  }
  if (n != fields) return false;
  if (unit) cols[n] = 0;
  return db_insert(e->db, table, cols, at);
}

static bool is_csv(const Program *e, const char *path) {
  size_t n = strlen(path);
  return e->infix && n >= 4 && !strcmp(path + n - 4, ".csv");
}

/* The next field from *p on, without its quotes; moves *p behind the comma, the end of the line or the text, and says
 * whether the row goes on.  False if a quote is left open, or text follows one. */
static bool csv_field(Program *e, const char **p, const char *end, const char **out, size_t *n, bool *quoted,
                      bool *more) {
  const char *s = *p;
  *quoted = s < end && *s == '"';
  if (!*quoted) {
    while (s < end && *s != ',' && *s != '\n') s++;
    *out = *p;
    *n = (size_t)(s - *p);
  } else {
    char *text = arena_alloc(&e->scratch, (size_t)(end - s) + 1);
    size_t len = 0;
    for (s++; s < end && (*s != '"' || (s + 1 < end && s[1] == '"')); s++) {
      s += *s == '"';
      text[len++] = *s;
    }
    if (s == end) return false;
    for (s++; s < end && *s == '\r'; s++) continue;
    if (s < end && *s != ',' && *s != '\n') return false;
    *out = text;
    *n = len;
  }
  *more = s < end && *s == ',';
  *p = s < end ? s + 1 : end;
  return true;
}

/* One row of a .csv file. */
static bool read_csv_row(Program *e, const TableSpec *spec, uint32_t n_cols, TableId table, const char **p,
                         const char *end, Val *cols, Span at) {
  bool more = true;
  for (uint32_t i = 0; i < n_cols; i++) {
    SortId sort = i < spec->n_in ? spec->in[i] : spec->out;
    const char *field = "";
    size_t n = 0;
    if (sort == SORT_UNIT && i == spec->n_in) {
      cols[i] = 0;
      continue;
    }
    bool quoted;
    if (!more || !csv_field(e, p, end, &field, &n, &quoted, &more)) return false;
    if (sort == SORT_STRING && quoted) cols[i] = sym_n(field, n);
    else if (!read_field(e, sort, field, field + n, &cols[i])) return false;
  }
  return !more && db_insert(e->db, table, cols, at);
}

static bool columns_allowed(Program *e, const Sexp *x, const TableSpec *spec) {
  for (uint32_t i = 0; i < spec->n_in + (spec->kind == TABLE_FUNCTION); i++) {
    SortId s = i < spec->n_in ? spec->in[i] : spec->out;
    bool output = i == spec->n_in;
    if (s != SORT_I64 && s != SORT_STRING && (output ? s != SORT_UNIT : s != SORT_F64))
      return diag_error(e->diags, x->at, E_SORT, "a column of sort %s cannot be read from a file", name_of_sort(e, s));
  }
  return true;
}

Result command_input(Program *e, const Sexp *x) {
  if (x->n != 3 || x->item[1].kind != SEXP_SYMBOL || x->item[2].kind != SEXP_STRING)
    return ERROR(x->at, E_SYNTAX, "this should read `(input table \"path\")`");
  if (name_of(e, x->item[1].sym)->kind != NAME_TABLE)
    return ERROR(x->item[1].at, E_UNBOUND, "there is no table `%s`", sym_text(x->item[1].sym));
  TableId t = name_of(e, x->item[1].sym)->id;
  const TableSpec *spec = db_table_spec(e->db, t);
  if (!columns_allowed(e, x, spec)) return RESULT_BAD;
  const char *path = sym_text(x->item[2].sym), *why = NULL;
  if (e->options->fact_directory && *path != '/')
    path = arena_printf(&e->scratch, "%s/%s", e->options->fact_directory, path);
  uint32_t id = sources_load(diags_sources(e->diags), path, &why);
  if (!id) return command_failed(e, x, arena_printf(&e->scratch, "cannot read '%s': %s", path, why),
                                 "paths are relative to the working directory, or to --facts=DIR");
  if (!lang_is_text(e->diags, id)) return RESULT_BAD;
  const Source *src = sources_get(diags_sources(e->diags), id);
  uint32_t n_cols = spec->n_in + (spec->kind == TABLE_FUNCTION);
  Val *cols = ARENA_ARRAY(&e->scratch, Val, n_cols + 1);
  const char *p = src->text, *end = src->text + src->len;
  for (uint32_t line = 1; p < end; line++) {
    const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;
    if (is_csv(e, path) ? !read_csv_row(e, spec, n_cols, t, &p, end, cols, x->at)
                        : !read_line(e, spec, n_cols, t, p, stop, cols, x->at))
      return command_failed(
          e, x, arena_printf(&e->scratch, "line %u of '%s' is no row of `%s`", line, path, sym_text(spec->name)),
          "a line has a field for every column, between tabs");
    if (!is_csv(e, path)) p = nl ? nl + 1 : end;
  }
  return db_settle(e->db) ? RESULT_OK : RESULT_FAILED;
}

Result command_output(Program *e, const Sexp *x) {
  if (x->n < 3 || x->item[1].kind != SEXP_STRING)
    return ERROR(x->at, E_SYNTAX, "this should read `(output \"path\" expressions ...)`");
  const char *path = sym_text(x->item[1].sym);
  Result r = RESULT_OK;
  Vec(char *) lines = {0};
  for (uint32_t i = 2; !r && i < x->n; i++) {
    const Name *table = x->item[i].kind == SEXP_SYMBOL ? name_of(e, x->item[i].sym) : NULL;
    if (e->infix && table && table->kind == NAME_TABLE) {
      char *rows = print_rows_text(e, table->id, is_csv(e, path) ? ',' : '\t');
      if (rows) vec_push(&lines, rows);
      else r = command_failed(e, x, "a text with a tab or a line break needs a .csv file", NULL);
      continue;
    }
    Lower l;
    lower_init(&l, e);
    Reg reg;
    SortId sort;
    Val v;
    if (!lower_value(&l, &x->item[i], IR_NONE, &reg, &sort)) {
      r = RESULT_BAD;
    } else {
      IrBlock b = lower_block(&l, reg);
      r = db_act(e->db, &b, &v) ? RESULT_OK : RESULT_FAILED;
      Term *t = r ? NULL : extraction_term(db_extract(e->db, NULL), sort, v);
      if (t && t->size <= PRINT_MOST)
        vec_push(&lines, print_term_text(e, t));
      else if (!r)
        r = command_failed(e, x, t ? "the term is too large to write" : "there is no term to write",
                           "the term must exist and be extractable before the command");
    }
    lower_free(&l);
  }
  FILE *out = r ? NULL : fopen(path, "a");
  if (!r && !out) r = command_failed(e, x, arena_printf(&e->scratch, "cannot write '%s': %s", path, strerror(errno)),
                                        "the folder must exist, and the file be writable");
  for (size_t i = 0; i < lines.len; i++) {
    size_t n = strlen(lines.at[i]);
    if (out && n) fprintf(out, "%s%s", lines.at[i], lines.at[i][n - 1] == '\n' ? "" : "\n");
    free(lines.at[i]);
  }
  if (out && fclose(out)) r = command_failed(e, x, "the file could not be written", NULL);
  vec_free(&lines);
  return r;
}
