/* Pickles, https://docs.python.org/3/library/pickle.html, protocols 2 to 5, as trees of plain values.
 *
 * Nothing is imported, called or run: a class or function is its name, and what one would make is a record of that name
 * with its arguments and attributes.  The few calls that make plain values (dictionaries and numbers of libraries) are
 * known and give such.  Values may be cyclic.  Nothing recurses, and a file needs memory in proportion to its length, up
 * to limits. */
#ifndef TVR_PLAN_PICKLE_H
#define TVR_PLAN_PICKLE_H
#include <stdbool.h>

#include "lang/base/arena.h"
#include "lang/base/diag.h"
#include "lang/base/intern.h"

typedef enum PickleKind {
  PV_NONE,
  PV_BOOL,   /* i */
  PV_INT,    /* i */
  PV_FLOAT,  /* f */
  PV_STRING, /* s */
  PV_BYTES,  /* bytes, len: in the file itself */
  PV_TUPLE,  /* list */
  PV_LIST,   /* list */
  PV_SET,    /* list */
  PV_DICT,   /* list: key, value, key, value; of equal keys the last counts */
  PV_GLOBAL, /* s: "torch.float32" */
  PV_RECORD, /* record */
  PV_OTHER,  /* a plain value that is not read: a long text, a large integer */
} PickleKind;

typedef struct PickleValue {
  uint8_t kind;
  uint32_t len;
  union {
    int64_t i;
    double f;
    Sym s;
    const uint8_t *bytes;
    struct PickleList *list;
    struct PickleRecord *record;
  };
} PickleValue;

typedef struct PickleList {
  PickleValue *at;
  uint32_t len, cap;
} PickleList;

typedef struct PickleRecord {
  Sym cls;            /* "nnscaler.ir.tensor.IRSubTensor"; 0: what made it is no name */
  uint32_t mark, own; /* the reader's, 0 at first */
  PickleValue args;   /* of the call that would make it: a tuple, or PV_NONE */
  PickleValue state;  /* attributes: a dictionary, or what the class would take instead */
} PickleRecord;

typedef struct PickleLimits {
  uint64_t opcodes, memory;
  uint32_t memo, stack, depth; /* values that are named, on the stack; lists open at a time */
} PickleLimits;
#define PICKLE_LIMITS ((PickleLimits){UINT64_C(1) << 28, UINT64_C(1) << 32, 1 << 26, 1 << 24, 1 << 16})

typedef struct PickleFault {
  DiagCode code;
  size_t at; /* byte of the file */
  const char *what;
} PickleFault;

/* Reads a whole file; false with *fault set.  Values live as long as the arena and the text. */
bool pickle_read(Arena *arena, const uint8_t *text, size_t len, const PickleLimits *limits, PickleValue *out,
                 PickleFault *fault);
/* The value under a key; NULL: there is none, or it is not looked for among so many. */
const PickleValue *pickle_get(const PickleValue *dict, Sym key);
/* An attribute, or NULL. */
const PickleValue *pickle_attr(const PickleRecord *r, Sym name);
#endif
