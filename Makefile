# tvr: `make` builds build/tvr; `make demo` and `make test` do all set-up themselves on a fresh Debian 12 machine.
CONFIG ?= release
BUILD  ?= build
CC     ?= gcc

CFLAGS_release = -O2 -g
CFLAGS_asan    = -O1 -g -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined
CFLAGS_debug   = -O0 -g -DTVR_CHECK

O = $(if $(filter release,$(CONFIG)),$(BUILD),$(BUILD)/$(CONFIG))

WARN   = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wpointer-arith -Wundef
CFLAGS = -std=gnu11 $(CFLAGS_$(CONFIG)) $(WARN) -I. -I$(BUILD)/gen -MMD -MP
LIBS   = -lxxhash -ljansson -lflint-arb -lflint -lmpfr -lgmp -lm -lpthread

SOURCES := $(sort $(shell find lang eval frontends -name '*.c'))
GRAMMAR := $(patsubst %.y,$(BUILD)/gen/%.c,$(wildcard lang/*.y)) $(patsubst %.l,$(BUILD)/gen/%.c,$(wildcard lang/*.l))
OBJECTS := $(SOURCES:%.c=$(O)/obj/%.o) $(GRAMMAR:$(BUILD)/gen/%.c=$(O)/obj/gen/%.o)

all: $(O)/tvr

$(O)/tvr: $(OBJECTS)
	$(CC) $(CFLAGS_$(CONFIG)) -o $@ $^ $(LIBS)

$(O)/obj/%.o: %.c | $(GRAMMAR)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c -o $@ $<

$(O)/obj/gen/%.o: $(BUILD)/gen/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -Wno-unused-function -Wno-missing-prototypes -Wno-shadow -c -o $@ $<

$(BUILD)/gen/lang/%.c: lang/%.y
	@mkdir -p $(@D)
	bison -Wall -Werror --header=$(@:.c=.h) -o $@ $<

$(BUILD)/gen/lang/%.c: lang/%.l
	@mkdir -p $(@D)
	flex --header-file=$(@:.c=.h) -o $@ $<

clean:
	rm -rf $(BUILD)

-include $(OBJECTS:.o=.d)
.PHONY: all clean
