/* Wire: the fields of one protobuf message, one after the other.
 *
 * A message is a run of (number, value); a value is a varint, 4 or 8 bytes, or a length and so many bytes, which are the
 * caller's to read as a text, a packed list or another message.  Nothing is copied, nothing recurses, and no length is
 * believed beyond the bytes there are.  Source: protobuf.dev/programming-guides/encoding. */
#ifndef TVR_ONNX_WIRE_H
#define TVR_ONNX_WIRE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Bytes {
  const uint8_t *at;
  size_t len;
} Bytes;

typedef enum WireType { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 } WireType;

typedef struct WireField {
  uint32_t number;
  uint8_t type;   /* WireType */
  uint64_t value; /* varint, or the 4 or 8 bytes as a little-endian number */
  Bytes bytes;    /* WIRE_BYTES */
} WireField;

typedef struct Wire {
  Bytes rest;
  const char *wrong; /* what is malformed at `rest`, or NULL */
} Wire;

/* The next field; false at the end of the message, and where it is malformed. */
bool wire_next(Wire *w, WireField *f);
/* A number off the front of a packed list of varints (or of 4 or 8 bytes each); false at the end, or if it is cut off. */
bool wire_packed(Bytes *list, WireType type, uint64_t *out);
#endif
