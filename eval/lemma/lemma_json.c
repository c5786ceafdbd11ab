/* lemma_json: see lemma_json.h. */
#include "eval/lemma/lemma_json.h"

#include <stddef.h>
#include <string.h>

/* The fields that are texts, or null. */
static const struct {
  const char *key;
  size_t at;
} texts[] = {
#define TEXT(key, field) {key, offsetof(LemmaReport, field)},
    TEXT("all_sizes", all_sizes) TEXT("by", how) TEXT("where", conditions) TEXT("missing", missing)
    TEXT("shape", shape) TEXT("at", at) TEXT("left", left) TEXT("right", right) TEXT("inputs", inputs_text)
    TEXT("want", want) TEXT("have", have) TEXT("why", why)
#undef TEXT
};
enum { N_TEXTS = sizeof texts / sizeof *texts };

json_t *lemma_json(const LemmaReport *r) {
  json_t *o = json_pack("{s:s, s:s, s:i, s:i, s:i, s:f, s:b}", "lemma", sym_text(r->name), "status",
                        lemma_status_text(r->status), "shapes", (int)r->shapes, "points", (int)r->inputs, "proved",
                        (int)r->proved, "seconds", r->seconds, "cached", r->cached);
  for (size_t i = 0; i < N_TEXTS; i++) {
    const char *text;
    memcpy(&text, (const char *)r + texts[i].at, sizeof text);
    json_object_set_new(o, texts[i].key, text ? json_string(text) : json_null());
  }
  return o;
}

static uint32_t count(const json_t *o, const char *key) {
  json_int_t v = json_integer_value(json_object_get(o, key));
  return v < 0 || v > UINT32_MAX ? 0 : (uint32_t)v;
}

bool lemma_json_read(const json_t *o, const AstItem *lemma, Arena *a, LemmaReport *r) {
  const char *status = json_string_value(json_object_get(o, "status"));
  *r = (LemmaReport){.item = lemma, .name = lemma->name, .status = LEMMA_WRONG};
  for (int s = 0; status && s < LEMMA_WRONG; s++)
    if (!strcmp(status, lemma_status_text((LemmaStatus)s))) r->status = (LemmaStatus)s;
  r->shapes = count(o, "shapes");
  r->inputs = count(o, "points");
  r->proved = count(o, "proved");
  r->seconds = json_number_value(json_object_get(o, "seconds"));
  for (size_t i = 0; i < N_TEXTS; i++) {
    const char *text = json_string_value(json_object_get(o, texts[i].key));
    if (text) text = arena_printf(a, "%s", text);
    memcpy((char *)r + texts[i].at, &text, sizeof text);
  }
  bool whole = r->status != LEMMA_FALSE || (r->shape && r->at && r->left && r->right);
  return status && whole && (!r->want || r->have);
}
