/* Targets that annotate shardings, places and layouts. */
#include "frontends/base/custom.h"

#include <stddef.h>
#include <string.h>

bool custom_annotates(const char *target) {
  static const char *const names[] = {
      "Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "xla.sdy.GlobalToLocalShape",
      "xla.sdy.LocalToGlobalShape", "xla.sdy.FuncResultSharding", "xla.sdy.PropagationBarrier", "ShardBarrierFrom",
      "ShardBarrierTo", "annotate_device_placement", "MoveToHost", "MoveToDevice", "LayoutConstraint", "Pin", "Unpin",
      "AssumeGatherIndicesInBound", "AwsNeuronTransferWithStaticRing",
  };
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (!strcmp(names[k], target)) return true;
  return false;
}
