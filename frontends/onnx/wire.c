/* Varints and fields of protobuf: see wire.h. */
#include "frontends/onnx/wire.h"

static bool varint(Bytes *b, uint64_t *out) {
  uint64_t v = 0;
  for (unsigned k = 0; k < 10 && k < b->len; k++) {
    uint8_t byte = b->at[k];
    if (k == 9 && byte > 1) return false; /* more than 64 bits */
    v |= (uint64_t)(byte & 0x7f) << 7 * k;
    if (byte & 0x80) continue;
    b->at += k + 1;
    b->len -= k + 1;
    return *out = v, true;
  }
  return false;
}

static bool fixed(Bytes *b, unsigned n, uint64_t *out) {
  if (b->len < n) return false;
  *out = 0;
  for (unsigned k = 0; k < n; k++) *out |= (uint64_t)b->at[k] << 8 * k;
  b->at += n;
  b->len -= n;
  return true;
}

static bool fail(Wire *w, const char *what) {
  w->wrong = what;
  return false;
}

bool wire_next(Wire *w, WireField *f) {
  uint64_t key, len;
  if (w->wrong || !w->rest.len) return false;
  Bytes b = w->rest;
  if (!varint(&b, &key)) return fail(w, "a field number is cut off");
  if (key >> 3 == 0 || key >> 3 > 0x1fffffff) return fail(w, "there is no such field number");
  *f = (WireField){.number = (uint32_t)(key >> 3), .type = key & 7};
  switch (f->type) {
    case WIRE_VARINT:
      if (!varint(&b, &f->value)) return fail(w, "a number is cut off");
      break;
    case WIRE_64:
    case WIRE_32:
      if (!fixed(&b, f->type == WIRE_64 ? 8 : 4, &f->value)) return fail(w, "a number is cut off");
      break;
    case WIRE_BYTES:
      if (!varint(&b, &len)) return fail(w, "a length is cut off");
      if (len > b.len) return fail(w, "a field is longer than what is left");
      f->bytes = (Bytes){b.at, (size_t)len};
      b.at += len;
      b.len -= (size_t)len;
      break;
    default: return fail(w, "there is no such kind of field");
  }
  w->rest = b;
  return true;
}

bool wire_packed(Bytes *list, WireType type, uint64_t *out) {
  if (type == WIRE_VARINT) return varint(list, out);
  return fixed(list, type == WIRE_64 ? 8 : 4, out);
}
