#include "frontends/repl/line.h"

#include <histedit.h>
#include <stdio.h>
#include <string.h>

#include "lang/base/library.h"
#include "lang/base/vec.h"

#define LIBEDIT "libedit.so.2"
#define EDIT(function) LIBRARY_CALL(LIBEDIT, function)

enum { MOST_HISTORY = 2000 };

struct Line {
  EditLine *editor; /* NULL: standard input is read */
  History *history;
  const char *file, *prompt;
  LineNames *names;
  void *context;
  bool gave_up; /* the line was ended by ^C */
  char *text;
  size_t cap;
};

/* ---- completion ---- */

typedef struct {
  Line *line;
  char common[256]; /* what all names found have in common */
  size_t n;
  bool list; /* print them */
} Found;

static void collect(void *to, const char *name) {
  Found *f = to;
  if (f->list) {
    printf("%s%s", f->n ? "  " : "\n", name);
  } else if (!f->n) {
    snprintf(f->common, sizeof f->common, "%s", name);
  } else {
    size_t k = 0;
    while (f->common[k] && f->common[k] == name[k]) k++;
    f->common[k] = 0;
  }
  f->n++;
}

static Line *line_of(EditLine *editor) {
  void *line = NULL;
  EDIT(el_get)(editor, EL_CLIENTDATA, &line);
  return line;
}

static unsigned char complete(EditLine *editor, int key) {
  (void)key;
  Line *l = line_of(editor);
  const LineInfo *info = EDIT(el_line)(editor);
  const char *from = info->cursor;
  while (from > info->buffer && !strchr(" \t()[]{},;|=\"", from[-1])) from--;
  char prefix[256];
  snprintf(prefix, sizeof prefix, "%.*s", (int)(info->cursor - from), from);
  Found found = {.line = l};
  l->names(l->context, prefix, collect, &found);
  if (!found.n) return CC_REFRESH_BEEP;
  if (strlen(found.common) > strlen(prefix)) {
    EDIT(el_insertstr)(editor, found.common + strlen(prefix));
    if (found.n == 1) EDIT(el_insertstr)(editor, " ");
    return CC_REFRESH;
  }
  if (found.n == 1) return CC_REFRESH;
  Found list = {.line = l, .list = true};
  l->names(l->context, prefix, collect, &list);
  printf("\n");
  fflush(stdout);
  return CC_REDISPLAY;
}

/* ---- the editor ---- */

static unsigned char give_up(EditLine *editor, int key) {
  (void)key;
  line_of(editor)->gave_up = true;
  printf("^C\n");
  return CC_NEWLINE;
}

static char *prompt_of(EditLine *editor) { return (char *)line_of(editor)->prompt; }

static void open_editor(Line *l) {
  HistEvent event;
  l->editor = EDIT(el_init)("tvr", stdin, stdout, stderr);
  if (!l->editor) return;
  EDIT(el_set)(l->editor, EL_CLIENTDATA, l);
  EDIT(el_set)(l->editor, EL_PROMPT, prompt_of);
  EDIT(el_set)(l->editor, EL_EDITOR, "emacs");
  EDIT(el_set)(l->editor, EL_SETTY, "-d", "-isig", NULL); /* ^C is a key while a line is edited */
  EDIT(el_set)(l->editor, EL_ADDFN, "tvr-give-up", "drop the line", give_up);
  EDIT(el_set)(l->editor, EL_BIND, "^C", "tvr-give-up", NULL);
  EDIT(el_set)(l->editor, EL_ADDFN, "tvr-complete", "complete a name", complete);
  EDIT(el_set)(l->editor, EL_BIND, "^I", "tvr-complete", NULL);
  l->history = EDIT(history_init)();
  if (!l->history) return;
  EDIT(history)(l->history, &event, H_SETSIZE, MOST_HISTORY);
  EDIT(history)(l->history, &event, H_SETUNIQUE, 1);
  if (l->file) EDIT(history)(l->history, &event, H_LOAD, l->file);
  EDIT(el_set)(l->editor, EL_HIST, EDIT(history), l->history);
}

Line *line_open(bool terminal, const char *file, LineNames *names, void *context) {
  Line *l = xcalloc(1, sizeof *l);
  l->file = file;
  l->names = names;
  l->context = context;
  l->prompt = "";
  if (terminal && library_find(LIBEDIT, "el_init")) open_editor(l);
  return l;
}

void line_close(Line *l) {
  HistEvent event;
  if (l->history && l->file) EDIT(history)(l->history, &event, H_SAVE, l->file);
  if (l->history) EDIT(history_end)(l->history);
  if (l->editor) EDIT(el_end)(l->editor);
  free(l->text);
  free(l);
}

static const char *edited(Line *l, bool *interrupted) {
  int n = 0;
  l->gave_up = false;
  const char *text = EDIT(el_gets)(l->editor, &n);
  *interrupted = l->gave_up;
  if (l->gave_up) return "";
  if (!text || n <= 0) return NULL;
  size_t len = strcspn(text, "\n");
  if (len + 1 > l->cap) l->text = xrealloc(l->text, l->cap = len + 1);
  memcpy(l->text, text, len);
  l->text[len] = 0;
  return l->text;
}

const char *line_next(Line *l, const char *prompt, bool *interrupted) {
  *interrupted = false;
  l->prompt = prompt;
  if (l->editor) return edited(l, interrupted);
  ssize_t n = getline(&l->text, &l->cap, stdin);
  if (n < 0) return NULL;
  while (n && (l->text[n - 1] == '\n' || l->text[n - 1] == '\r')) l->text[--n] = 0;
  return l->text;
}

void line_remember(Line *l, const char *text) {
  HistEvent event;
  if (l->history && *text) EDIT(history)(l->history, &event, H_ENTER, text);
}

bool line_continues(Line *l) {
  if (l->editor) return false;
  int c = getc(stdin);
  if (c != EOF) ungetc(c, stdin);
  return c == ' ' || c == '\t' || c == '|';
}
