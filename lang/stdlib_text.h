/* The files of stdlib/ as the program was built; the last entry is {NULL, NULL}.  tools/embed writes them. */
#ifndef TVR_STDLIB_TEXT_H
#define TVR_STDLIB_TEXT_H
extern const struct StdlibText {
  const char *path, *text;
} stdlib_text[];
#endif
