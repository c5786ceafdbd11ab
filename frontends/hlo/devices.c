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
    int64_t most = i->devices ? i->devices->most : -1;
    if (most > e.most) e.most = most;
    if (i->ids == IDS_PARTITIONS && most > 0) e.partitions = i;
    if ((i->ids == IDS_REPLICAS || i->ids == IDS_REPLICAS_OF_ALL) && most != 0 && (most > 0 || !e.replicas))
      e.replicas = i;
  }
  return e;
}

/* 0, 1, 2, .. or 0, 0, 1, 1, ..: all devices, or each paired with itself.  One array for all who need it. */
static const int64_t *all_devices(Parser *p, int64_t n, int64_t times, const int64_t **kept) {
  if (*kept) return *kept;
  int64_t *ints = ARENA_ARRAY(p->arena, int64_t, n * times);
  for (int64_t k = 0; k < n * times; k++) ints[k] = k / times;
  return *kept = ints;
}

typedef struct All {
  const int64_t *once, *twice;
} All;

/* The numbers are devices: in range, and groups hold all of them. */
static bool check_numbers(Parser *p, const HloInstr *i, const Attr *a, int64_t n) {
  if (i->devices->most >= n)
    return INSTR_ERROR(p, i, E_COLLECTIVE, "device %lld does not exist: there are %lld", (long long)i->devices->most,
                       (long long)n);
  if (a->kind == ATTR_GROUPS && a->n != n)
    return INSTR_ERROR(p, i, E_COLLECTIVE, "the groups hold %u of %lld devices", a->n, (long long)n);
  return true;
}

static bool resolve(Parser *p, const HloInstr *i, Attr *a, int64_t n, All *all) {
  bool replicas = p->m->devices_are_replicas, pairs = a->kind == ATTR_PAIRS;
  bool same = i->ids == IDS_GLOBAL || (replicas ? i->ids != IDS_PARTITIONS : i->ids == IDS_PARTITIONS);
  if (!n) {
    INSTR_ERROR(p, i, E_COLLECTIVE, "the number of devices is not known");
    diag_hint(p->s.diags, "add num_partitions=N to the module's header");
    return false;
  }
  if (same && a->n) return check_numbers(p, i, a, n);
  if (!same && i->devices && i->devices->most > 0) { /* the numbers are of the kind there is one of */
    INSTR_ERROR(p, i, E_UNSUPPORTED, "the numbers are those of %s, of which the program has one",
                replicas ? "partitions" : "replicas");
    diag_note(p->s.diags, (Span){0}, "channel_id and use_global_device_ids say what the numbers mean");
    return false;
  }
  if (pairs && !a->n) return true;
  a->ints = pairs ? all_devices(p, n, 2, &all->twice) : all_devices(p, n, 1, &all->once);
  a->n = (uint32_t)(pairs ? 2 * n : n);
  if (!pairs) a->i = same || i->ids == IDS_REPLICAS_OF_ALL ? n : 1;
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
  All all = {0};
  bool ok = true;
  for (size_t k = 0; k < m->reads_devices.len && p->s.errors < MAX_ERRORS; k++) {
    const HloInstr *i = &m->instrs.at[m->reads_devices.at[k]];
    Attr *a = i->ids == IDS_NONE ? NULL : numbers_of(i);
    if (a) ok &= resolve(p, i, a, m->graph->n_devices, &all);
  }
  return ok;
}
