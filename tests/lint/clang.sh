#!/bin/bash
# clang finds nothing to warn about, with the flags of the build.
cd "$(dirname "$0")/../.." || exit 3
flags=${CFLAGS:--std=gnu11 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wpointer-arith -Wundef -Wno-missing-field-initializers -I. -Ibuild/gen}
find lang certify eval frontends tests -name '*.c' | sort |
  xargs -P "${JOBS:-2}" -n 8 clang -fsyntax-only -Werror $flags
