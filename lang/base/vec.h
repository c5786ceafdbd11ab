/* Vec(T): growable array.  Zero-initialised is empty; vec_free releases.  Pointers into it do not survive vec_push. */
#ifndef TVR_BASE_VEC_H
#define TVR_BASE_VEC_H
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lang/base/arena.h"

#define Vec(T)       \
  struct {           \
    T *at;           \
    size_t len, cap; \
  }

#define vec_reserve(v, n)                                             \
  do {                                                                \
    size_t vec_need_ = (n);                                           \
    if ((v)->cap < vec_need_) {                                       \
      size_t vec_cap_ = (v)->cap ? (v)->cap * 2 : 8;                  \
      if (vec_cap_ < vec_need_) vec_cap_ = vec_need_;                 \
      (v)->at = xrealloc((v)->at, vec_cap_ * sizeof *(v)->at);        \
      (v)->cap = vec_cap_;                                            \
    }                                                                 \
  } while (0)
#define vec_push(v, ...)               \
  do {                                 \
    vec_reserve((v), (v)->len + 1);    \
    (v)->at[(v)->len++] = __VA_ARGS__; \
  } while (0)
#define vec_pop(v) (assert((v)->len > 0), (v)->at[--(v)->len])
#define vec_last(v) ((v)->at[(v)->len - 1])
#define vec_clear(v) ((v)->len = 0)
#define vec_free(v)     \
  do {                  \
    free((v)->at);      \
    (v)->at = NULL;     \
    (v)->len = 0;       \
    (v)->cap = 0;       \
  } while (0)
#endif
