# tvr: `make` builds build/tvr; `make test` and `make demo` do all set-up themselves on a fresh Debian 12 machine.
#
#   make            the release build                 make asan      a build that checks memory and undefined behaviour
#   make test       set up, build, run every test     make bless     rewrite the expected outputs of tests/golden
#   make demo       two real training steps, checked  make lint      layers, style, warnings of clang
#   make fuzz       fuzz one target, SECONDS long     make mutate    the long mutation campaign
#   make campaign   random programs against evaluation, SECONDS long, from SEED
#   make egg-campaign  random egglog programs against egglog itself, SECONDS long, from SEED
#   make bench      speed, graphs and egg             make install   PREFIX=/usr/local
CONFIG ?= release
BUILD  ?= build
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(CONFIG),asan)
CC := clang
endif

# Null pointers are seen by the address sanitizer as well; what checks them before every access, and how it is aligned,
# takes half of the time to compile.  memcpy(NULL, x, 0) and NULL + 0 are meant.  The fuzzers count which code runs, and what
# readers compare bytes with.
SANITIZE = -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined \
           -DTVR_SANITIZED -fno-sanitize=null,alignment,object-size,nonnull-attribute,pointer-overflow \
           -fsanitize-coverage=inline-8bit-counters,pc-table
CFLAGS_release = -O2 -g
CFLAGS_debug   = -O0 -g -DTVR_CHECK
CFLAGS_asan    = -O1 -g1 $(SANITIZE)

O = $(if $(filter release,$(CONFIG)),$(BUILD),$(BUILD)/$(CONFIG))

WARN   = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wpointer-arith -Wundef -Wno-missing-field-initializers
CFLAGS = -std=gnu11 -ffp-contract=off $(CFLAGS_$(CONFIG)) $(WARN) -I. -I$(BUILD)/gen
# Archives where there are any: loading a shared library costs as much as a small run.  Other libraries are loaded when
# they are needed (lang/base/library.h).
archive = $(or $(filter /%,$(shell $(CC) -print-file-name=lib$(1).a)),-l$(1))
LIBS   := $(foreach l,xxhash jansson gmp,$(call archive,$(l))) -lm -lpthread
ifeq ($(CONFIG),asan)
LIBS += -Wl,--no-as-needed -l:libstdc++.so.6 # or what Z3 throws is not seen to be thrown
endif

SOURCES := $(sort $(shell find lang certify eval frontends -name '*.c'))
GRAMMAR := $(patsubst %,$(BUILD)/gen/%.c,$(basename $(sort $(shell find lang certify eval frontends -name '*.[yl]'))))
STDLIB  := $(sort $(wildcard stdlib/*.tvr))
OBJECTS := $(SOURCES:%.c=$(O)/obj/%.o) $(GRAMMAR:$(BUILD)/gen/%.c=$(O)/obj/gen/%.o) $(patsubst %,$(O)/obj/gen/lang/%_text.o,stdlib error)
MAIN    := $(O)/obj/frontends/cli/main.o
UNITS   := $(patsubst %.c,$(O)/%,$(wildcard tests/unit/test_*.c))
MUTATE  := $(O)/tests/mutate/mutate
FUZZERS := $(patsubst %.c,$(O)/%,$(wildcard tests/fuzz/fuzz_*.c))

all: $(O)/tvr

$(O)/tvr: $(MAIN) $(O)/libtvr.a
	$(CC) $(CFLAGS_$(CONFIG)) -o $@ $^ $(LIBS)

$(O)/libtvr.a: $(filter-out $(MAIN),$(OBJECTS))
	@rm -f $@
	@ar rcs $@ $^

$(O)/obj/%.o: %.c | $(GRAMMAR)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

# Loops over numbers.
$(addprefix $(O)/obj/eval/exact/,doubles.o ball.o): CFLAGS_release += -O3
$(O)/obj/lang/%.o $(O)/obj/frontends/%.o: CFLAGS_asan += -fsanitize-coverage=trace-cmp

$(O)/obj/gen/%.o: $(BUILD)/gen/%.c | $(GRAMMAR)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP -Wno-unused-function -Wno-missing-prototypes -Wno-shadow -c -o $@ $<

$(BUILD)/gen/%.c: %.y
	@mkdir -p $(@D)
	bison -Wall -Werror --header=$(@:.c=.h) -o $@ $<

$(BUILD)/gen/%.c: %.l
	@mkdir -p $(@D)
	flex --header-file=$(@:.c=.h) -o $@ $<

# The standard library is part of the program.
$(BUILD)/gen/lang/stdlib_text.c: $(STDLIB) tools/embed
	@mkdir -p $(@D)
	tools/embed $(STDLIB) >$@

# What SPEC.md says of error codes as well.
$(BUILD)/gen/lang/error_text.c: SPEC.md tools/embed-errors
	@mkdir -p $(@D)
	tools/embed-errors SPEC.md >$@

# Test programs: one file each, linked with everything but main.
units: $(UNITS)
$(O)/tests/%: $(O)/obj/tests/%.o $(O)/libtvr.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_$(CONFIG)) -o $@ $^ $(LIBS)
$(MUTATE): $(O)/obj/tests/mutate/mutation.o
$(O)/tests/unit/test_egg_diff $(O)/tests/unit/test_egg_proofs $(O)/tests/unit/test_egg_why_not: $(O)/obj/tests/diff/naive.o $(O)/obj/tests/diff/random.o
$(O)/tests/unit/test_egg_proofs: $(O)/obj/tests/diff/replay.o
$(O)/tests/fuzz/fuzz_pt2: LIBS += -lzip # writes archives
$(O)/tests/fuzz/%: $(O)/obj/tests/fuzz/%.o $(O)/libtvr.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_$(CONFIG)) -fsanitize=fuzzer -o $@ $^ $(LIBS)

setup:
	@tools/setup
asan:
	$(MAKE) CONFIG=asan all
test: setup
	$(MAKE) -j$(JOBS) all units $(MUTATE)
	$(MAKE) -j$(JOBS) CONFIG=asan all units
	JOBS=$(JOBS) tests/run.sh
bless: all
	tests/run.sh --bless
lint: all
	tests/lint/layers.sh
	tests/lint/style.sh
	CFLAGS="$(CFLAGS)" tests/lint/clang.sh
FUZZ = -max_total_time=$(or $(SECONDS),600)
fuzz:
	$(MAKE) -j$(JOBS) CONFIG=asan fuzzers
	JOBS=$(JOBS) tests/fuzz/run.sh "$(FUZZ)" $(FUZZERS:$(O)/%=$(BUILD)/asan/%)
fuzzers: $(FUZZERS)
fuzz-ci: # the same inputs in every run
	$(MAKE) fuzz FUZZ="-runs=20000 -seed=1"
campaign: units
	$(O)/tests/unit/test_campaign $(or $(SECONDS),600) $(or $(SEED),1)
egg-campaign: all
	tests/diff/egg_campaign.py $(O)/tvr $(or $(SECONDS),600) $(or $(SEED),1)
mutate: $(MUTATE)
	$(MUTATE) --jobs=$(JOBS) $(sort $(dir $(wildcard examples/*/seq.hlo tests/graphs/*/seq.hlo examples/onnx/*/before.onnx)))
demo: setup
	@$(MAKE) -s -j$(JOBS) all
	@tests/demo.sh
bench: all
	tests/bench.sh
	tests/bench/egg.py $(O)/tvr
install: all
	install -D $(O)/tvr $(DESTDIR)$(PREFIX)/bin/tvr
clean:
	rm -rf $(BUILD)

-include $(shell find $(O)/obj -name "*.d" 2>/dev/null)
.SECONDARY:
.PHONY: all units setup asan test demo bless lint fuzz fuzz-ci fuzzers campaign egg-campaign mutate bench install clean
