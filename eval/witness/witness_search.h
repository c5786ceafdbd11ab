/* Witness search: fills the store and the steps of a part of a certificate from what the engine says. */
#ifndef TVR_WITNESS_SEARCH_H
#define TVR_WITNESS_SEARCH_H
#include <stdio.h>

#include "certify/certify.h"

typedef struct Engine {
  void *context;
  bool flat;  /* proofs that are not deep are looked for first */
  /* The goal's labels are LABEL_GOAL.  New definitions are added to the store.  false: no answer. */
  bool (*answer)(void *context, Store *s, const Goal *g, Num *out);
  /* What it holds the value of a node to be, over labels of dimensions and of the mesh.  false: it does not say. */
  bool (*value)(void *context, Store *s, uint32_t side, NodeId node, Num *out);
  bool (*spent)(void *context); /* it gives no more answers */
  bool plain; /* without what is known of the values of unknown functions */
} Engine;

bool witness_search(Part *part, const Engine *engine, CertifyResult *out);
/* Terms that the longest definition of its kind may have in a file, if one that steps need has more; or 0. */
uint32_t witness_too_long(const Part *part);
/* The text of a certificate. */
void certificate_write(const Certificate *c, const CertifyProblem *p, FILE *out);
#endif
