#include "frontends/base/opensizes.h"

#include <stdlib.h>
#include <string.h>

int64_t opensizes_find(const char *list, const char *name) {
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
