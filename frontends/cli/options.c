/* Reading the command line, and the help made from the same tables (commands.def, options.def).
 *
 * Options may stand anywhere after the command: `--name=value`, `--name value`; `--` ends them.  What is not known is
 * an error that names the closest thing that is.  The first row of commands.def is the example of the general help. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontends/cli/cli.h"
#include "lang/nearest.h"

typedef enum OptionKind { OPTION_FLAG, OPTION_NUMBER, OPTION_TEXT } OptionKind;

typedef struct Option {
  OptionKind kind;
  const char *name, *arg, *commands, *help;
  int64_t lo, hi, number;
  const char *text;
  size_t at; /* offset of its value in Options */
} Option;

static const Option option_table[] = {
#define FLAG(id, name, commands, help) {OPTION_FLAG, name, NULL, commands, help, 0, 1, 0, NULL, offsetof(Options, id)},
#define NUMBER(id, name, arg, lo, hi, otherwise, commands, help) \
  {OPTION_NUMBER, name, arg, commands, help, lo, hi, otherwise, NULL, offsetof(Options, id)},
#define TEXT(id, name, arg, otherwise, commands, help) \
  {OPTION_TEXT, name, arg, commands, help, 0, 0, 0, otherwise, offsetof(Options, id)},
#include "frontends/cli/options.def"
#undef FLAG
#undef NUMBER
#undef TEXT
};
enum { N_OPTIONS = sizeof option_table / sizeof option_table[0] };

static const Command command_table[] = {
#define COMMAND(name, usage, min, max, example, help) {#name, usage, min, max, example, help, command_##name},
#include "frontends/cli/commands.def"
#undef COMMAND
};
enum { N_COMMANDS = sizeof command_table / sizeof command_table[0] };

static const Span nowhere = {0, 0, 0};

const char *suggest_name(const char *word, const char *const *names, uint32_t n) {
  Nearest nearest = {.word = word, .len = strlen(word)};
  for (uint32_t i = 0; i < n; i++) nearest_try(&nearest, names[i]);
  for (uint32_t i = 0; !nearest.best && i < n && nearest.len >= 2; i++)
    if (strncmp(names[i], word, nearest.len) == 0) nearest.best = names[i];
  return nearest.best;
}

/* Whether the option belongs to the command: its list of commands is empty or holds the name as a word. */
static bool applies(const Option *o, const Command *c) {
  if (!o->commands[0]) return true;
  size_t n = c ? strlen(c->name) : 0;
  for (const char *p = o->commands; n && (p = strstr(p, c->name)); p += n)
    if ((p == o->commands || p[-1] == ' ') && (p[n] == 0 || p[n] == ' ')) return true;
  return false;
}

enum { HELP_COLUMNS = 110 };

void print_words(const char *text, int column, int indent) {
  for (const char *word = text; *word;) {
    int len = (int)strcspn(word, " ");
    bool breaks = column > indent && column + 1 + len > HELP_COLUMNS;
    if (breaks) printf("\n");
    int space = breaks ? indent : column < indent ? indent - column : 1;
    column = (breaks ? 0 : column) + printf("%*s%.*s", space, "", len, word);
    word += len + (word[len] == ' ');
  }
  printf("\n");
}

static void print_option(const Option *o) {
  char number[24] = "", help[512];
  if (o->kind == OPTION_NUMBER) snprintf(number, sizeof number, "%" PRId64, o->number);
  const char *otherwise = o->kind == OPTION_NUMBER ? number : o->text && o->text[0] ? o->text : NULL;
  int width = printf("  --%s%s%s", o->name, o->arg ? "=" : "", o->arg ? o->arg : "");
  snprintf(help, sizeof help, otherwise ? "%s (%s)" : "%s", o->help, otherwise);
  print_words(help, width, 32);
}

/* What one may ask for, then the numbers with their defaults. */
static void print_options(const Command *c) {
  static const char *const titles[] = {"Options", "Limits and seeds"};
  for (int numbers = 0; numbers < 2; numbers++) {
    bool titled = false;
    for (int i = 0; i < N_OPTIONS; i++) {
      const Option *o = &option_table[i];
      if (!applies(o, c) || (o->kind == OPTION_NUMBER) != numbers) continue;
      if (!titled) printf("\n%s\n", titles[numbers]);
      titled = true;
      print_option(o);
    }
  }
}

static void print_help(void) {
  printf("tvr proves that a distributed program computes what the sequential model says.\n\n"
         "Example\n  %s\n\nCommands\n", command_table[0].example);
  for (int i = 0; i < N_COMMANDS; i++) {
    int width = printf("  %s", command_table[i].name);
    print_words(command_table[i].help, width, 11);
  }
  print_options(NULL);
  printf("\nExit codes\n  0 verified (or done)   1 refuted   2 unproved   3 wrong usage or a bad file   "
         "4 no answer within a limit\n\n"
         "`tvr COMMAND --help` says more about one command.\n");
}

static void print_command_help(const Command *c) {
  print_words(c->help, printf("tvr %s:", c->name), 2);
  printf("\nExample\n  %s\n\nUsage\n", c->example);
  for (const char *form = c->usage; form;) {
    const char *next = strstr(form, " | ");
    printf("  tvr %s %.*s [options]\n", c->name, (int)(next ? (size_t)(next - form) : strlen(form)), form);
    form = next ? next + 3 : NULL;
  }
  print_options(c);
}

static const Command *find_command(Cli *cli, const char *name) {
  const char *names[N_COMMANDS];
  for (int i = 0; i < N_COMMANDS; i++) {
    names[i] = command_table[i].name;
    if (strcmp(name, names[i]) == 0) return &command_table[i];
  }
  diag_error(cli->diags, nowhere, E_USAGE, "there is no command '%s'", name);
  const char *near = suggest_name(name, names, N_COMMANDS);
  if (near) diag_hint(cli->diags, "did you mean 'tvr %s'?", near);
  else diag_hint(cli->diags, "'tvr --help' lists the commands");
  return NULL;
}

static const Option *find_option(Cli *cli, const char *name, size_t len) {
  const char *names[N_OPTIONS];
  uint32_t n = 0;
  for (int i = 0; i < N_OPTIONS; i++) {
    const Option *o = &option_table[i];
    if (applies(o, cli->command)) names[n++] = o->name;
    if (strlen(o->name) != len || memcmp(name, o->name, len) != 0) continue;
    if (applies(o, cli->command)) return o;
    diag_error(cli->diags, nowhere, E_USAGE, "'tvr %s' takes no option --%s", cli->command->name, o->name);
    diag_hint(cli->diags, "it belongs to: %s", o->commands);
    return NULL;
  }
  const char *word = arena_strdup(&cli->arena, name, len), *near = suggest_name(word, names, n);
  diag_error(cli->diags, nowhere, E_USAGE, "there is no option --%s", word);
  if (near) diag_hint(cli->diags, "did you mean --%s?", near);
  return NULL;
}

static void set_default(Options *options, const Option *o) {
  char *at = (char *)options + o->at;
  if (o->kind == OPTION_NUMBER) *(int64_t *)at = o->number;
  if (o->kind == OPTION_TEXT) *(const char **)at = o->text;
}

static bool set_number(Cli *cli, const Option *o, const char *value) {
  char *end;
  errno = 0;
  long long v = strtoll(value, &end, 10);
  if (errno || end == value || *end || v < o->lo || v > o->hi)
    return diag_error(cli->diags, nowhere, E_USAGE, "--%s takes a number from %" PRId64 " to %" PRId64 ", not '%s'",
                      o->name, o->lo, o->hi, value);
  *(int64_t *)((char *)&cli->options + o->at) = v;
  return true;
}

/* One option; *i moves over a value that stands in the next argument. */
static bool read_option(Cli *cli, int argc, char **argv, int *i) {
  const char *text = argv[*i] + 2, *equals = strchr(text, '=');
  const Option *o = find_option(cli, text, equals ? (size_t)(equals - text) : strlen(text));
  if (!o) return false;
  const char *value = equals ? equals + 1 : NULL;
  if (o->kind == OPTION_FLAG) {
    if (value) return diag_error(cli->diags, nowhere, E_USAGE, "--%s takes no value", o->name);
    *(bool *)((char *)&cli->options + o->at) = true;
    return true;
  }
  if (!value && *i + 1 < argc) value = argv[++*i];
  if (!value) return diag_error(cli->diags, nowhere, E_USAGE, "--%s needs a value: --%s=%s", o->name, o->name, o->arg);
  if (o->kind == OPTION_NUMBER) return set_number(cli, o, value);
  *(const char **)((char *)&cli->options + o->at) = value;
  return true;
}

/* An argument DIR is a folder that exists. */
static bool check_folders(Cli *cli) {
  for (int i = 0; i < N_OPTIONS; i++) {
    const Option *o = &option_table[i];
    if (o->kind != OPTION_TEXT || strcmp(o->arg, "DIR") != 0) continue;
    const char *path = *(const char *const *)((const char *)&cli->options + o->at);
    struct stat is;
    bool found = !path || !*path || stat(path, &is) == 0;
    if (found && (!path || !*path || S_ISDIR(is.st_mode))) continue;
    const char *why = found ? "it is no folder" : strerror(errno);
    return diag_error(cli->diags, nowhere, E_FILE, "--%s: cannot read '%s': %s", o->name, path, why);
  }
  return true;
}

/* NAME=N,.. */
static bool check_sizes(Cli *cli) {
  for (const char *at = cli->options.sizes; at && *at; at += *at == ',') {
    size_t n = strcspn(at, ","), name = strcspn(at, "=");
    char *end;
    bool good = name && name < n && isdigit((unsigned char)at[name + 1]) && strtoll(at + name + 1, &end, 10) > 0;
    if (!good || end != at + n)
      return diag_error(cli->diags, nowhere, E_USAGE, "--sizes takes NAME=N,.. with numbers from 1 on, not '%.*s'",
                        (int)n, at);
    at += n;
  }
  return true;
}

/* What JSON may quote is UTF-8. */
static bool check_text(Cli *cli, int argc, char **argv) {
  for (int i = 1; i < argc && cli->options.json; i++) {
    json_t *text = json_string(argv[i]);
    if (!text) return diag_error(cli->diags, nowhere, E_USAGE, "argument %d is not UTF-8, as JSON is", i);
    json_decref(text);
  }
  return true;
}

static bool check_count(Cli *cli) {
  const Command *c = cli->command;
  if (cli->n_args >= c->min_args && cli->n_args <= c->max_args) return true;
  diag_error(cli->diags, nowhere, E_USAGE, cli->n_args < c->min_args ? "'tvr %s' needs more arguments" :
             "'tvr %s' got too many arguments", c->name);
  diag_hint(cli->diags, "tvr %s %s", c->name, c->usage);
  return false;
}

static bool no_letter(Cli *cli, const char *word) {
  diag_error(cli->diags, nowhere, E_USAGE, "there is no option %s: options are words, after --", word);
  if (cli->command) diag_hint(cli->diags, "'tvr %s --help' lists them", cli->command->name);
  return false;
}

bool options_parse(Cli *cli, int argc, char **argv, bool *done) {
  bool good = true, more = true;
  cli->args = ARENA_ARRAY(&cli->arena, const char *, argc);
  for (int i = 0; i < N_OPTIONS; i++) set_default(&cli->options, &option_table[i]);
  for (int i = 1; i < argc; i++) {
    if (more && strcmp(argv[i], "--") == 0) more = false;
    else if (more && strcmp(argv[i], "-h") == 0) cli->options.help = true;
    else if (more && strncmp(argv[i], "--", 2) == 0) good &= read_option(cli, argc, argv, &i);
    else if (more && argv[i][0] == '-' && isalpha((unsigned char)argv[i][1]) && !argv[i][2]) good = no_letter(cli, argv[i]);
    else if (cli->command) cli->args[cli->n_args++] = argv[i];
    else if (!(cli->command = find_command(cli, argv[i]))) return false;
  }
  *done = good && (cli->options.help || cli->options.version);
  if (*done && cli->options.version) printf("tvr %s\n", TVR_VERSION);
  else if (*done && cli->command) print_command_help(cli->command);
  else if (*done) print_help();
  if (!good || *done) return good;
  if (cli->command)
    return check_count(cli) && check_sizes(cli) && check_folders(cli) && check_text(cli, argc, argv);
  diag_error(cli->diags, nowhere, E_USAGE, "no command given");
  diag_hint(cli->diags, "'tvr --help' lists the commands");
  return false;
}
