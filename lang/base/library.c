/* library: see library.h.  A library stays loaded, so opening it again costs a look-up of its name. */
#include "lang/base/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

void *library_find(const char *library, const char *function) {
  void *opened = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  return opened ? dlsym(opened, function) : NULL;
}

void *library_need(const char *library, const char *function) {
  void *found = library_find(library, function);
  if (found) return found;
  fprintf(stderr, "tvr: %s, which this needs, is not installed\n", library);
  exit(3);
}
