/* Checks a proof, as `(prove ...)` prints it with --json, of a program of random.h, knowing the rules and the rows that
 * were given and nothing of the engine: every step must follow from its premises by the one inference it names. */
#ifndef TVR_REPLAY_H
#define TVR_REPLAY_H
#include <jansson.h>

#include "tests/diff/naive.h"

/* NULL if every step holds, else what is wrong (in a buffer of the caller's, of 200 bytes). */
const char *replay(const json_t *proof, const RandomProgram *p, char *why);
#endif
