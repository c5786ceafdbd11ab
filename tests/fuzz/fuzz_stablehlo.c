/* libFuzzer target: StableHLO text. */
#include "frontends/stablehlo/stablehlo.h"

#define LOOPS
#define READ stablehlo_read
#define ReaderOptions StablehloOptions
#include "tests/fuzz/reader.h"
