/* State of the HLO parser, shared by its files.  See parse.c. */
#ifndef TVR_FRONTENDS_HLO_PARSER_H
#define TVR_FRONTENDS_HLO_PARSER_H
#include "frontends/base/config.h"
#include "frontends/base/textmap.h"
#include "frontends/hlo/module.h"

enum { MAX_DEVICES = 1 << 20, MAX_GROUP_DEVICES = 1 << 23, MAX_NESTING = 64, MAX_RANK = 64, MAX_ERRORS = 20,
      MAX_CALLS = 500, MAX_ATTRS = 1000 };

/* Words to small numbers: a fixed hash table over a table of texts. */
typedef struct Words {
  uint16_t slot[1024];
  uint8_t len[1024];
  const char *const *texts;
} Words;
/* Position of the word, or -1. */
int words_find(const Words *w, Text t);

typedef struct NameEntry {
  uint32_t comp; /* 1-based computation the entry is of */
  HloOperand as; /* the instruction as an operand */
} NameEntry;

/* Source places: see places.c. */
typedef struct Location {
  uint32_t file, line;
  Sym at;
} Location;

typedef struct StackFrame {
  uint32_t location, parent;
  uint32_t frames; /* index into Graph.frames, once asked for */
} StackFrame;

typedef struct Single {
  Sym at;
  uint32_t frames;
} Single;

typedef struct Places {
  Vec(Text) files;
  Vec(Location) locations;
  Vec(StackFrame) stack;
  Vec(Single) singles; /* open addressing by symbol */
  size_t n_singles;
} Places;

typedef struct Parser {
  Scan s;
  HloModule *m;
  Arena *arena;
  Words opcodes, attrs, dtypes;
  Sym attr_name[HLO_N_ATTRS];
  Sym op_name[HLO_N_OPCODES];
  TextMap shapes; /* of HloShape */
  TextMap groups; /* of DeviceList */
  TextMap tails;  /* of AttrTail: attrs.c */
  uint64_t n_group_devices; /* in all of them */
  const DeviceList *devices; /* of the instruction being read */
  Vec(uint32_t) stamps;      /* by device, twice: the list it was last met in */
  uint32_t now;
  Vec(NameEntry) instr_of; /* by symbol: the instruction of that name in the computation being read */
  Vec(uint32_t) comp_of;   /* by symbol: 1 + the computation of that name */
  Places places;
  HloComp *comp;           /* being read */
  uint64_t n_leaves;       /* of it */
  Vec(uint32_t) params;    /* of it: its parameters, in the order of the text */
  const char *line_end;    /* newline that ends line number `line`, or NULL */
  uint32_t line;
  Vec(int64_t) ints;       /* scratch */
  Vec(Rat) rats;
  Vec(const HloShape *) parts;
  Attrs attr_list;     /* of the instruction being read */
  Vec(uint32_t) called;
  uint64_t seen[(HLO_N_ATTRS + 63) / 64];
  Vec(Sym) warned;         /* unknown attributes already reported */
  Sym unknown_attr;       /* of the instruction: one that the table does not know, or 0 */
  Sym complex;             /* text of the complex constant being read */
  const char *layout;      /* of the shape read last, or NULL */
} Parser;

/* shape.c */
const HloShape *shape_parse(Parser *p, unsigned depth);
/* literal.c: "constant(" has been read; up to and with ")". */
bool literal_parse(Parser *p, HloInstr *i);
/* places.c: one of the tables FileNames .. StackFrames; `which` is its keyword. */
bool places_parse(Parser *p, Text which);
/* metadata={..}: label and frames of the instruction. */
bool places_metadata(Parser *p, HloInstr *i);
void places_free(Places *p);
/* attrs.c: `, name=value` up to the end of the instruction. */
bool attrs_parse(Parser *p, HloInstr *i);
/* The attribute read for the instruction, or NULL. */
Attr *attrs_find(Parser *p, HloAttr a);
void attrs_add(Parser *p, Attr a);
/* The attributes of a window of no dimensions, unless one was given. */
void attrs_empty_window(Parser *p);
Attr attrs_ints(Parser *p, const char *name, const int64_t *ints, size_t n);
/* groups.c: replica groups in any spelling, source-target pairs: an attribute of device numbers as written. */
bool groups_parse(Parser *p, Attr *out);
bool pairs_parse(Parser *p, Attr *out);
/* devices.c: once all is read: what the numbers mean; writes out "everyone"; infers the number of devices. */
bool devices_resolve(Parser *p, const HloOptions *options);
/* lower.c: attributes of the instruction into those the library expects, and checks of what that relies on. */
bool lower_instr(Parser *p, HloInstr *i);
/* bitcast.c: the layouts of operand and result as attributes. */
bool bitcast_lower(Parser *p, HloInstr *i);
/* Place of an instruction in the text, for errors: its first line from the name on. */
Span parser_span(const Parser *p, const HloInstr *i);
#define INSTR_ERROR(p, i, code, ...) \
  ((p)->s.errors++, diag_error((p)->s.diags, parser_span((p), (i)), (code), __VA_ARGS__))
#endif
