#include "frontends/base/opensizes.h"

#include <stdlib.h>
#include <string.h>

int64_t opensizes_number(const char *list, const char *name) {
  size_t len = strlen(name);
  for (const char *at = list; at && *at;) {
    size_t n = strcspn(at, ",");
    if (n > len + 1 && n < len + 20 && !strncmp(at, name, len) && at[len] == '=') {
      char *end;
      long long v = strtoll(at + len + 1, &end, 10);
      return end == at + n && v > 0 ? v : 0;
    }
    at += n + (at[n] == ',');
  }
  return 0;
}

bool opensizes_known(const OpenSizes *s, Sym name) {
  size_t k = 0;
  while (k < s->known.len && s->known.at[k] != name) k++;
  return k < s->known.len;
}

void opensizes_know(OpenSizes *s, Sym name) {
  if (!opensizes_known(s, name)) vec_push(&s->known, name);
}

int64_t opensizes_find(OpenSizes *s, const char *name) {
  int64_t n = s ? opensizes_number(s->list, name) : 0;
  if (s) opensizes_know(s, sym(name)), s->missed |= !n;
  return n;
}
