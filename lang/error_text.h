/* What SPEC.md says of every error code, as the program was built: paragraphs, each a line; the last entry is
 * {NULL, NULL}.  tools/embed-errors writes them. */
#ifndef TVR_ERROR_TEXT_H
#define TVR_ERROR_TEXT_H
extern const struct ErrorText {
  const char *code, *text;
} error_text[];
#endif
