/* The fields of protobuf messages, byte by byte: what is well-formed is read, what is cut off or too long is not, and
 * no byte beyond the message is looked at (the messages are copied to memory of just their size). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/onnx/wire.h"
#include "lang/base/arena.h"

static int failures;
#define CHECK(x) \
  if (!(x)) failures++, fprintf(stderr, "line %d: %s\n", __LINE__, #x)

typedef struct Message {
  uint8_t *at;
  Wire wire;
} Message;

static Message message(const char *bytes, size_t len) {
  Message m = {.at = xmalloc(len ? len : 1)};
  memcpy(m.at, bytes, len);
  m.wire.rest = (Bytes){m.at, len};
  return m;
}
#define MESSAGE(text) message(text, sizeof(text) - 1)

/* The message has one field that is read, and ends there. */
static bool one(Message m, uint32_t number, uint8_t type, uint64_t value, size_t len) {
  WireField f, g;
  bool ok = wire_next(&m.wire, &f) && f.number == number && f.type == type && f.bytes.len == len;
  ok = ok && (type == WIRE_BYTES || f.value == value) && !wire_next(&m.wire, &g) && !m.wire.wrong;
  free(m.at);
  return ok;
}

/* The message is malformed after `n` fields, in this way; and stays so. */
static bool wrong(Message m, uint32_t n, const char *what) {
  WireField f;
  bool ok = true;
  for (uint32_t i = 0; i < n; i++) ok = ok && wire_next(&m.wire, &f);
  for (int i = 0; i < 2; i++) ok = ok && !wire_next(&m.wire, &f) && m.wire.wrong && !strcmp(m.wire.wrong, what);
  free(m.at);
  return ok;
}

static void fields(void) {
  CHECK(one(MESSAGE("\x08\x00"), 1, WIRE_VARINT, 0, 0));
  CHECK(one(MESSAGE("\x08\x96\x01"), 1, WIRE_VARINT, 150, 0));
  CHECK(one(MESSAGE("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), 1, WIRE_VARINT, UINT64_MAX, 0));
  CHECK(one(MESSAGE("\x08\x80\x00"), 1, WIRE_VARINT, 0, 0)); /* longer than need be */
  CHECK(one(MESSAGE("\x11\x01\x02\x03\x04\x05\x06\x07\x08"), 2, WIRE_64, 0x0807060504030201, 0));
  CHECK(one(MESSAGE("\x1d\x01\x02\x03\x84"), 3, WIRE_32, 0x84030201, 0));
  CHECK(one(MESSAGE("\x22\x00"), 4, WIRE_BYTES, 0, 0));
  CHECK(one(MESSAGE("\x22\x03"
                    "abc"),
            4, WIRE_BYTES, 0, 3));
  CHECK(one(MESSAGE("\xf8\xff\xff\xff\x0f\x01"), 0x1fffffff, WIRE_VARINT, 1, 0));
}

static void malformed(void) {
  CHECK(wrong(MESSAGE("\x80"), 0, "a field number is cut off"));
  CHECK(wrong(MESSAGE("\x00\x01"), 0, "there is no such field number"));
  CHECK(wrong(MESSAGE("\x80\x80\x80\x80\x10\x01"), 0, "there is no such field number"));
  CHECK(wrong(MESSAGE("\x0b"), 0, "there is no such kind of field")); /* groups */
  CHECK(wrong(MESSAGE("\x0f\x01"), 0, "there is no such kind of field"));
  CHECK(wrong(MESSAGE("\x08"), 0, "a number is cut off"));
  CHECK(wrong(MESSAGE("\x08\x80\x80"), 0, "a number is cut off"));
  CHECK(wrong(MESSAGE("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), 0, "a number is cut off")); /* 65 bits */
  CHECK(wrong(MESSAGE("\x11\x01\x02\x03\x04\x05\x06\x07"), 0, "a number is cut off"));
  CHECK(wrong(MESSAGE("\x1d\x01\x02\x03"), 0, "a number is cut off"));
  CHECK(wrong(MESSAGE("\x22"), 0, "a length is cut off"));
  CHECK(wrong(MESSAGE("\x22\x04"
                      "abc"),
              0, "a field is longer than what is left"));
  CHECK(wrong(MESSAGE("\x22\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
                      "abc"),
              0, "a field is longer than what is left"));
  CHECK(wrong(MESSAGE("\x08\x01\x22\x02"
                      "a"),
              1, "a field is longer than what is left"));
}

/* Every prefix of a message that does not end between two fields is malformed. */
static void prefixes(void) {
  static const char whole[] =
      "\x08\x96\x01\x1d\x01\x02\x03\x04\x22\x03"
      "abc\x11\x01\x02\x03\x04\x05\x06\x07\x08";
  static const size_t ends[] = {0, 3, 8, 13, 22};
  for (size_t len = 0; len < sizeof whole; len++) {
    Message m = message(whole, len);
    WireField f;
    uint32_t n = 0, i = 0;
    while (wire_next(&m.wire, &f)) n++;
    while (i < 4 && ends[i + 1] <= len) i++;
    CHECK(n == i && (m.wire.wrong == NULL) == (ends[i] == len));
    free(m.at);
  }
}

static void packed(void) {
  uint64_t v;
  Message m = MESSAGE("\x03\x8e\x02\x9e\xa7\x05\x80");
  static const uint64_t numbers[] = {3, 270, 86942};
  for (int i = 0; i < 3; i++) CHECK(wire_packed(&m.wire.rest, WIRE_VARINT, &v) && v == numbers[i]);
  CHECK(!wire_packed(&m.wire.rest, WIRE_VARINT, &v) && m.wire.rest.len == 1);
  free(m.at);
  m = MESSAGE("\x01\x00\x00\x00\x02\x00\x00\x80\x03\x00");
  CHECK(wire_packed(&m.wire.rest, WIRE_32, &v) && v == 1);
  CHECK(wire_packed(&m.wire.rest, WIRE_32, &v) && v == 0x80000002);
  CHECK(!wire_packed(&m.wire.rest, WIRE_32, &v) && !wire_packed(&m.wire.rest, WIRE_64, &v));
  free(m.at);
}

int main(void) {
  fields();
  malformed();
  prefixes();
  packed();
  return failures != 0;
}
