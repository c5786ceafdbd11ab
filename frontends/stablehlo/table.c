/* Operators by name: the table op.def. */
#include "frontends/stablehlo/flow.h"

static const OpInfo table[] = {
#define OP(text, how, what, least, most) {text, become_##how, what, least, most},
#include "frontends/stablehlo/op.def"
#undef OP
};

const OpInfo *op_info(Text op) {
  for (size_t k = 0; k < sizeof table / sizeof *table; k++)
    if (text_equals(op, table[k].text)) return &table[k];
  return NULL;
}

static bool is_among(const OpInfo *info, bool (*const how[])(Low *), size_t n) {
  for (size_t k = 0; info && k < n; k++)
    if (info->lower == how[k]) return true;
  return false;
}

bool op_talks(const OpInfo *info) {
  bool (*const how[])(Low *) = {become_collective, become_gather_all, become_scatter_all, become_exchange,
                                become_permute, become_device};
  return is_among(info, how, sizeof how / sizeof *how);
}

bool op_reads_devices(const OpInfo *info) {
  bool (*const how[])(Low *) = {become_unique, become_refuse, become_manual, become_custom};
  return op_talks(info) || is_among(info, how, sizeof how / sizeof *how);
}
