/* Scene: the operators around a suspect, and what each of them is on the other side.
 *
 *     from     mul.113    multiply  models/tp.py:46   == mul.40
 *     here     dot.24     dot       models/tp.py:44   sum(tp) == dot.12
 *     used by  add_any.6  add       models/tp.py:44   no counterpart
 */
#ifndef TVR_SCENE_H
#define TVR_SCENE_H
#include "eval/prove/prove.h"

typedef enum SceneRole { SCENE_OPERAND, SCENE_SELF, SCENE_USER } SceneRole;

typedef struct SceneRow {
  SceneRole role;
  NodeId node;
  NodeId twin;     /* what it is on the other side, or NO_NODE .. */
  const char *is;  /* .. in words */
} SceneRow;

typedef struct Scene {
  uint32_t n;
  const SceneRow *rows;
  NodeId like; /* the operator of the other side that does the same with the same operands, or NO_NODE */
} Scene;

/* The first operator of the other side of the same kind with the same operands, up to factors; or NO_NODE. */
NodeId scene_alike(const Proof *p, Side side, NodeId id);
Scene scene_of(Proof *p, Side side, NodeId id, Arena *a);
#endif
