/* What device numbers mean, once the whole module is read.
 *
 * Whether a number is a replica or a partition depends on the operator, channel_id and use_global_device_ids (XLA:
 * collective_op_group_mode).  tvr knows one kind of device: partitions, or replicas where there are no partitions; a
 * program with both is refused.  A collective over the kind there is only one of stays within each device, or is over
 * all of them. */
#include "frontends/hlo/parser.h"

/* The attribute of device numbers, or NULL. */
static Attr *numbers_of(const HloInstr *i) {
  for (uint32_t k = 0; k < i->n_attrs; k++)
    if (i->attrs[k].kind == ATTR_GROUPS || i->attrs[k].kind == ATTR_PAIRS) return (Attr *)&i->attrs[k];
  return NULL;
}

typedef struct Evidence {
  int64_t most;          /* largest device number */
  const HloInstr *replicas, *partitions, *any; /* instructions that speak of more than one of either; of any device */
} Evidence;

static Evidence gather(const HloModule *m) {
  Evidence e = {.most = -1};
  for (size_t k = 0; k < m->reads_devices.len; k++) {
    const HloInstr *i = &m->instrs.at[m->reads_devices.at[k]];
    if (i->opcode == HLO_PARTITION_ID) e.partitions = e.any = i;
    if (i->opcode == HLO_REPLICA_ID) e.replicas = e.any = i;
    if (i->ids == IDS_NONE) continue;
    e.any = i;
    const Attr *a = numbers_of(i);
    int64_t most = -1;
    for (uint32_t j = 0; a && j < a->n; j++)
      if (a->ints[j] > most) most = a->ints[j];
    if (most > e.most) e.most = most;
    if (i->ids == IDS_PARTITIONS && most > 0) e.partitions = i;
    if ((i->ids == IDS_REPLICAS || i->ids == IDS_REPLICAS_OF_ALL) && most != 0 && (most > 0 || !e.replicas))
      e.replicas = i;
  }
  return e;
}

/* Numbers in range, each at most once, and (groups) all of them. */
static bool check_numbers(Parser *p, const HloInstr *i, const Attr *a, int64_t n, uint32_t *stamp, uint32_t now) {
  uint32_t step = a->kind == ATTR_PAIRS ? 2 : 1;
  for (uint32_t j = 0; j < a->n; j++)
    if (a->ints[j] < 0 || a->ints[j] >= n)
      return INSTR_ERROR(p, i, E_COLLECTIVE, "device %lld does not exist: there are %lld", (long long)a->ints[j],
                         (long long)n);
  for (uint32_t side = 0; side < step; side++)
    for (uint32_t j = side; j < a->n; j += step) {
      uint32_t *s = &stamp[a->ints[j] * 2 + side];
      if (*s == now)
        return INSTR_ERROR(p, i, E_COLLECTIVE, "device %lld stands twice", (long long)a->ints[j]);
      *s = now;
    }
  if (a->kind == ATTR_GROUPS && a->n != n)
    return INSTR_ERROR(p, i, E_COLLECTIVE, "the groups hold %u of %lld devices", a->n, (long long)n);
  return true;
}

static void everyone(Parser *p, Attr *a, int64_t n, int64_t size) {
  int64_t *ints = ARENA_ARRAY(p->arena, int64_t, n);
  for (int64_t k = 0; k < n; k++) ints[k] = k;
  a->ints = ints;
  a->n = (uint32_t)n;
  a->i = size;
}

static bool resolve(Parser *p, const HloInstr *i, Attr *a, int64_t n) {
  bool replicas = p->m->devices_are_replicas;
  bool same = i->ids == IDS_GLOBAL || (replicas ? i->ids != IDS_PARTITIONS : i->ids == IDS_PARTITIONS);
  if (!n) {
    INSTR_ERROR(p, i, E_COLLECTIVE, "the number of devices is not known");
    diag_hint(p->s.diags, "add num_partitions=N to the module's header");
    return false;
  }
  if (same && a->n) return true;
  if (same && a->kind == ATTR_GROUPS) return everyone(p, a, n, n), true;
  if (same) return true;
  /* The numbers are of the kind there is one of. */
  for (uint32_t k = 0; k < a->n; k++)
    if (a->ints[k]) {
      INSTR_ERROR(p, i, E_UNSUPPORTED, "the numbers are those of %s, of which the program has one",
                  replicas ? "partitions" : "replicas");
      diag_note(p->s.diags, (Span){0}, "channel_id and use_global_device_ids say what the numbers mean");
      return false;
    }
  if (a->kind == ATTR_PAIRS) {
    bool to_self = a->n > 0;
    int64_t *pairs = ARENA_ARRAY(p->arena, int64_t, 2 * n);
    for (int64_t k = 0; k < 2 * n; k++) pairs[k] = k / 2;
    a->ints = pairs;
    a->n = to_self ? (uint32_t)(2 * n) : 0;
  } else {
    everyone(p, a, n, i->ids == IDS_REPLICAS_OF_ALL ? n : 1);
  }
  return true;
}

/* Decides what devices are and how many. */
static bool decide(Parser *p, const Evidence *e, const HloOptions *options) {
  HloModule *m = p->m;
  Graph *g = m->graph;
  if (m->n_replicas > 1 && m->n_partitions > 1 && e->any)
    return INSTR_ERROR(p, e->any, E_UNSUPPORTED,
                       "the program has %lld replicas of %lld partitions: tvr reads programs with one of either",
                       (long long)m->n_replicas, (long long)m->n_partitions);
  bool said = m->n_replicas > 1 || m->n_partitions > 1;
  if (!said && e->replicas && e->partitions) {
    INSTR_ERROR(p, e->replicas, E_UNSUPPORTED, "this speaks of replicas, other instructions of partitions");
    diag_note(p->s.diags, parser_span(p, e->partitions), "for instance here");
    diag_hint(p->s.diags, "add num_partitions=N or replica_count=N to the module's header");
    return false;
  }
  m->devices_are_replicas = m->n_replicas > 1 || (!said && e->replicas);
  g->n_devices = m->n_replicas > 1 ? m->n_replicas : m->n_partitions > 1 ? m->n_partitions : options->n_devices;
  if (said && options->n_devices && options->n_devices != g->n_devices && e->any)
    return INSTR_ERROR(p, e->any, E_COLLECTIVE, "the program is for %lld devices, not %lld", (long long)g->n_devices,
                       (long long)options->n_devices);
  if (!g->n_devices && e->most >= 0) g->n_devices = e->most + 1;
  if (!g->n_devices) g->n_devices = m->n_partitions;
  return true;
}

bool devices_resolve(Parser *p, const HloOptions *options) {
  HloModule *m = p->m;
  Evidence e = gather(m);
  if (!decide(p, &e, options)) return false;
  int64_t n = m->graph->n_devices;
  uint32_t *stamp = xcalloc((size_t)n * 2, sizeof *stamp), now = 0;
  const int64_t *checked = NULL; /* groups that repeat share their array */
  bool ok = true;
  for (size_t k = 0; k < m->reads_devices.len; k++) {
    const HloInstr *i = &m->instrs.at[m->reads_devices.at[k]];
    Attr *a = i->ids == IDS_NONE ? NULL : numbers_of(i);
    if (!a) continue;
    bool fine = resolve(p, i, a, n) && (a->ints == checked || check_numbers(p, i, a, n, stamp, ++now));
    if (fine) checked = a->ints;
    ok &= fine;
    if (p->s.errors >= MAX_ERRORS) break;
  }
  free(stamp);
  return ok;
}
