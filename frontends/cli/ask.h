/* Ask: the questions on the command line, ready to answer: two graphs and a relation file, or each check of a model. */
#ifndef TVR_ASK_H
#define TVR_ASK_H
#include "eval/prove/pair.h"
#include "eval/verdict/model.h"
#include "frontends/cli/cli.h"

/* A .tvr file with its graphs and the operators it may use. */
typedef struct AskModel {
  Library *library;
  const AstFile *file;
  Model model;
} AskModel;

typedef struct Asked {
  Library *library;
  const Graph *seq, *dist;
  Relation *relation;
  bool infer; /* outputs that are not declared */
  Span at;
  const AskModel *model; /* the file that asks, or NULL */
  bool *unroll;          /* set by an answer that is none yet: to be asked again, with loops unrolled; NULL: they are */
} Asked;

/* Called for every question that could be read; returns its exit code. */
typedef Exit AskAnswer(Cli *cli, const Asked *asked, void *context);

/* Reads SEQ DIST --relation (if the option is given or there are two files), else MODEL; `n_files` of the arguments are
 * files.  The gravest exit code of all answers, or EXIT_BAD after errors, which are reported. */
Exit ask_each(Cli *cli, uint32_t n_files, AskAnswer *answer, void *context);
/* The text of a model as a tree; NULL after errors: of the file, or in the text, which may be that of a graph. */
const AstFile *ask_parse(Cli *cli, const char *path);
/* false after errors, which are reported; close it either way. */
bool ask_open(Cli *cli, const char *path, AskModel *m);
void ask_close(AskModel *m);
/* The folder of a path, without the slash; "." if it has none. */
const char *ask_folder(Arena *a, const char *path);
#endif
