/* child: work in a process of its own, which sees all memory as it was when it started; both ends of the wire between the
 * two send and receive bytes. */
#ifndef TVR_CHILD_H
#define TVR_CHILD_H
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct Child {
  pid_t pid; /* 0: none */
  int wire;
} Child;

/* What the child does; it may return, or exit by itself with a status of its own. */
typedef void ChildWork(void *context, int wire);

/* false: there is no process.  A child ends with its parent. */
bool child_start(Child *c, ChildWork *work, void *context);
/* A message, or a piece of one.  Nobody there to hear it: nothing happens. */
void child_send(int wire, const void *from, size_t n);
/* Waits for n bytes; false: the other end is gone. */
bool child_receive(int wire, void *to, size_t n);
/* Waits until the child ends: what it sent, at most cap - 1 bytes and a 0, and how it ended (as waitpid has it).  -1: not
 * by that time (clock_passed); it is ended then. */
ssize_t child_collect(Child *c, char *text, size_t cap, double deadline, int *status);
/* Ends a child that nobody waits for any more. */
void child_end(Child *c);
/* How many processors are there for this process. */
unsigned child_processors(void);
#endif
