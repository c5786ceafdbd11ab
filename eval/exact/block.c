/* block: see block.h. */
#include "eval/exact/block.h"

void block_coordinate(const Mesh *m, int64_t device, int64_t *at) {
  int64_t k = device >= 0 && device < m->n_devices && m->device_order[device] == device ? device : 0; /* as most are */
  for (int64_t i = 0; i < m->n_devices && m->device_order[k] != device; i++)
    if (m->device_order[i] == device) k = i;
  for (uint32_t a = m->n_axes; a-- > 0;) {
    at[a] = k % m->axes[a].size;
    k /= m->axes[a].size;
  }
}

int64_t block_number(const Layout *l, const Mesh *m, uint32_t d, const int64_t *at) {
  int64_t block = 0;
  for (uint32_t k = 0; k < l->dims[d].n; k++)
    block = block * m->axes[l->dims[d].axes[k]].size + at[l->dims[d].axes[k]];
  return block;
}

void block_positions(const Layout *l, const Mesh *m, const int64_t *at, const Node *whole, const Node *block,
                     uint64_t *out) {
  enum { MAX_RANK = 256 };
  int64_t index[MAX_RANK] = {0}, first[MAX_RANK];
  for (uint32_t d = 0; d < block->rank; d++) first[d] = block_number(l, m, d, at) * block->dims[d];
  uint64_t n = (uint64_t)node_elements(block);
  uint32_t rows = block->rank ? block->rank - 1u : 0; /* dimensions of which each index is a row of the last one */
  int64_t from = block->rank ? first[rows] : 0, length = block->rank ? block->dims[rows] : 1;
  int64_t inside = block->rank ? whole->dims[rows] - from : 1; /* of a row */
  for (uint64_t i = 0; i < n; i += (uint64_t)length) {
    uint64_t row = 0;
    bool is = true;
    for (uint32_t d = 0; d < rows; d++) {
      is = is && first[d] + index[d] < whole->dims[d];
      row = row * (uint64_t)whole->dims[d] + (uint64_t)(first[d] + index[d]);
    }
    if (block->rank) row = row * (uint64_t)whole->dims[rows] + (uint64_t)from;
    for (int64_t k = 0; k < length; k++) out[i + (uint64_t)k] = is && k < inside ? row + (uint64_t)k : BLOCK_PADDING;
    for (uint32_t d = rows; d-- > 0;) {
      if (++index[d] < block->dims[d]) break;
      index[d] = 0;
    }
  }
}

int64_t block_addends(const Mesh *m, const int64_t *at, const bool *sums, int64_t *devices) {
  int64_t n = 0;
  if (m->n_devices == 0) devices[n++] = 0;
  for (int64_t k = 0; k < m->n_devices; k++) {
    int64_t rest = k;
    bool same = true;
    for (uint32_t a = m->n_axes; a-- > 0;) {
      same = same && (sums[a] || rest % m->axes[a].size == at[a]);
      rest /= m->axes[a].size;
    }
    if (same) devices[n++] = m->device_order[k];
  }
  return n;
}

void block_index(const Node *n, uint64_t position, int64_t *index) {
  for (uint32_t d = n->rank; d-- > 0;) {
    index[d] = (int64_t)(position % (uint64_t)n->dims[d]);
    position /= (uint64_t)n->dims[d];
  }
}
