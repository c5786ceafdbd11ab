/* clock: see clock.h. */
#include "lang/base/clock.h"

#include <time.h>

static double seconds(clockid_t which) {
  struct timespec t;
  clock_gettime(which, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double clock_passed(void) { return seconds(CLOCK_MONOTONIC); }
double clock_spent(void) { return seconds(CLOCK_PROCESS_CPUTIME_ID); }
