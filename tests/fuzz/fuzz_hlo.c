/* libFuzzer target: HLO text. */
#include "frontends/hlo/hlo.h"

#define LOOPS
#define READ hlo_read
#define ReaderOptions HloOptions
#include "tests/fuzz/reader.h"
