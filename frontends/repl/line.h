/* Lines of input: edited on a terminal (libedit), read as they are from anywhere else. */
#ifndef TVR_LINE_H
#define TVR_LINE_H
#include <stdbool.h>
#include <stddef.h>

typedef struct Line Line;

/* The names that begin with `prefix`, one after another: calls `found` for each. */
typedef void LineNames(void *context, const char *prefix, void (*found)(void *to, const char *name), void *to);

/* `history`: file of earlier lines, or NULL. */
Line *line_open(bool terminal, const char *history, LineNames *names, void *context);
void line_close(Line *l);
/* The next line without its end, valid until the next call; NULL at the end of the input.  *interrupted: the user gave
 * up what was typed so far. */
const char *line_next(Line *l, const char *prompt, bool *interrupted);
/* Keeps a piece of several lines in the history. */
void line_remember(Line *l, const char *text);
/* Would the line that comes next go on with the one before (it is indented)?  Only known where nobody types. */
bool line_continues(Line *l);
#endif
