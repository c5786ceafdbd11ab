#include "eval/datalog/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/base/arena.h"

/* Shortest decimal digits d1 d2 ... with value 0.d1d2... * 10^*point; returns their number. */
static int shortest(double x, char digits[32], int *point) {
  char buf[40];
  for (int k = 0; k < 17; k++) {
    snprintf(buf, sizeof buf, "%.*e", k, x);
    if (strtod(buf, NULL) == x) break;
  }
  int n = 0;
  char *p = buf;
  for (; *p && *p != 'e'; p++)
    if (*p != '.') digits[n++] = *p;
  *point = (int)strtol(p + 1, NULL, 10) + 1;
  while (n > 1 && digits[n - 1] == '0') n--;
  digits[n] = 0;
  return n;
}

static bool special(double x, char *buf) {
  const char *s = isnan(x)   ? "NaN"
                  : isinf(x) ? (x < 0 ? "-inf" : "inf")
                  : x == 0   ? (signbit(x) ? "-0.0" : "0.0")
                             : NULL;
  if (s) snprintf(buf, NUMBER_TEXT, "%s", s);
  return s != NULL;
}

static char *plain(char *q, const char *digits, int n, int point) {
  if (point <= 0) {
    *q++ = '0';
    *q++ = '.';
    for (int i = point; i < 0; i++) *q++ = '0';
    for (int i = 0; i < n; i++) *q++ = digits[i];
  } else {
    for (int i = 0; i < n || i < point; i++) {
      if (i == point) *q++ = '.';
      *q++ = i < n ? digits[i] : '0';
    }
  }
  *q = 0;
  return q;
}

void number_float(double x, char buf[NUMBER_TEXT]) {
  if (special(x, buf)) return;
  char digits[32], *q = buf;
  int point, n = shortest(fabs(x), digits, &point);
  if (x < 0) *q++ = '-';
  q = plain(q, digits, n, point);
  errno = 0;
  if (point >= n) {
    strtoll(buf, NULL, 10);
    if (!errno) memcpy(q, ".0", 3);
  }
}

void number_float_debug(double x, char buf[NUMBER_TEXT]) {
  if (special(x, buf)) return;
  char digits[32], *q = buf;
  int point, n = shortest(fabs(x), digits, &point);
  if (x < 0) *q++ = '-';
  if (point > -4 && point <= 16) {
    q = plain(q, digits, n, point);
    if (point >= n) memcpy(q, ".0", 3);
    return;
  }
  *q++ = digits[0];
  if (n > 1) *q++ = '.';
  for (int i = 1; i < n; i++) *q++ = digits[i];
  snprintf(q, 16, "e%d", point - 1);
}

char *number_rat_text(Rat x) {
  mpq_t q;
  mpq_init(q);
  rat_get(x, q);
  size_t size = mpz_sizeinbase(mpq_numref(q), 10) + mpz_sizeinbase(mpq_denref(q), 10) + 4;
  char *s = xmalloc(size);
  mpq_get_str(s, 10, q);
  mpq_clear(q);
  return s;
}
