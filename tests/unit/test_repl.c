/* The REPL on a terminal: editing, completion, history, and ^C while rules run. */
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "eval/rules/script.h"
#include "frontends/repl/repl.h"

static int failures, terminal;
static pid_t repl;
static char shown[1 << 16]; /* and not yet expected */
static size_t n_shown;
static const char *last = ""; /* of what was expected */

static void start(const char *history) {
  n_shown = 0;
  repl = forkpty(&terminal, NULL, NULL, NULL);
  if (repl) return;
  setenv("TERM", "xterm", 1);
  signal(SIGINT, SIG_DFL); /* what runs in the background ignores it */
  Sources *sources = sources_new();
  ProgramOptions program = {0};
  ReplOptions options = {.syntax = &rules_syntax, .terminal = true, .history = history};
  exit(repl_run(diags_new(sources), &program, &options, stdout));
}

/* Waits until this is shown, and forgets what came before. */
static void expect(const char *text) {
  for (;;) {
    shown[n_shown] = 0;
    const char *at = strstr(shown, text);
    if (at) {
      at += strlen(text);
      n_shown -= (size_t)(at - shown);
      memmove(shown, at, n_shown);
      last = text;
      return;
    }
    struct pollfd p = {terminal, POLLIN, 0};
    ssize_t n = poll(&p, 1, 60000) == 1 ? read(terminal, shown + n_shown, sizeof shown - 1 - n_shown) : 0;
    if (n <= 0) {
      fprintf(stderr, "not shown: %s\nbut: %s\nafter `%s`\n", text, shown, last);
      exit(1);
    }
    n_shown += (size_t)n;
  }
}

/* Types a text at a prompt, and waits for what it makes the REPL show. */
static void type(const char *prompt, const char *text, const char *answer) {
  expect(prompt);
  if (write(terminal, text, strlen(text)) < 0) failures++;
  expect(answer);
}

static void end(const char *name, ProgramResult result) {
  int status;
  waitpid(repl, &status, 0);
  close(terminal);
  if (status != W_EXITCODE((int)result, 0)) failures++, fprintf(stderr, "%s: status %d\n", name, status);
}

int main(void) {
  char history[64];
  snprintf(history, sizeof history, "/tmp/tvr_history.%d", (int)getpid());
  start(history);
  expect(":help says what there is");
  type("tvr> ", "rel\tnumber_one(i64)\r", "ation number_one(i64)");
  type("tvr> ", "relation number_two(i64)\r", "\n");
  type("tvr> ", "nu\t", "mber_");
  type("", "\t", "number_one  number_two");
  type("number_", "one\r", "\n");
  type("tvr> ", "rule {\r", "\n");
  type("... ", "number_one(x) => number_one(x + 1) }\r", "\n");
  type("tvr> ", "do { number_one(0) }\r", "\n");
  type("tvr> ", "run 1000000000\r", "s, iteration ");
  if (write(terminal, "\003", 1) != 1) failures++;
  expect("interrupted");
  type("tvr> ", "check number_two(0)\r", "fail");
  type("tvr> ", ":q\t\r", "uit");
  end("first session", PROGRAM_LIMIT);
  start(history);
  type("tvr> ", "\033[A\033[A\r", "check number_two(0)");
  type("tvr> ", ":quit\r", "\n");
  end("second session", PROGRAM_OK);
  unlink(history);
  return failures > 0;
}
