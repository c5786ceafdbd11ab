/* child: see child.h. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "lang/base/child.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lang/base/clock.h"

bool child_start(Child *c, ChildWork *work, void *context) {
  int ends[2];
  *c = (Child){0};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return false;
  pid_t parent = getpid(), child = fork();
  if (!child) {
    close(ends[0]);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent) work(context, ends[1]);
    _exit(0);
  }
  close(ends[1]);
  if (child < 0) close(ends[0]);
  else *c = (Child){child, ends[0]};
  return child > 0;
}

void child_send(int wire, const void *from, size_t n) {
  for (size_t done = 0; done < n;) {
    ssize_t k = send(wire, (const char *)from + done, n - done, MSG_NOSIGNAL);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) break;
    done += (size_t)k;
  }
}

bool child_receive(int wire, void *to, size_t n) {
  for (size_t done = 0; done < n;) {
    ssize_t k = read(wire, (char *)to + done, n - done);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) return false;
    done += (size_t)k;
  }
  return true;
}

static ssize_t read_all(int from, char *text, size_t cap, double deadline) {
  size_t n = 0;
  while (n + 1 < cap) {
    double left = deadline - clock_passed();
    struct pollfd p = {.fd = from, .events = POLLIN};
    int ready = left > 0 ? poll(&p, 1, left < 1e6 ? (int)(left * 1000) + 1 : -1) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return -1;
    ssize_t k = read(from, text + n, cap - 1 - n);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) break;
    n += (size_t)k;
  }
  text[n] = 0;
  return (ssize_t)n;
}

static int reap(Child *c) {
  int status = 0;
  close(c->wire);
  while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) continue;
  *c = (Child){0};
  return status;
}

ssize_t child_collect(Child *c, char *text, size_t cap, double deadline, int *status) {
  ssize_t n = read_all(c->wire, text, cap, deadline);
  if (n < 0) kill(c->pid, SIGKILL);
  *status = reap(c);
  return n;
}

void child_end(Child *c) {
  if (!c->pid) return;
  kill(c->pid, SIGKILL);
  reap(c);
}

unsigned child_processors(void) {
  cpu_set_t own;
  return sched_getaffinity(0, sizeof own, &own) ? 1 : (unsigned)CPU_COUNT(&own);
}
