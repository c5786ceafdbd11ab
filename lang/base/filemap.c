/* filemap: see filemap.h. */
#include "lang/base/filemap.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SMALLEST = 1 << 18 };

static size_t page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

static void cut_short(int signal) {
  static const char message[] = "tvr: a file became shorter while it was read\n";
  (void)signal;
  _exit(write(STDERR_FILENO, message, sizeof message - 1) < 0 ? 4 : 3);
}

static int read_tail(int fd, char *to, size_t from, size_t n) {
  while (n) {
    ssize_t some = pread(fd, to, n, (off_t)from);
    if (some <= 0) return 0;
    to += some, from += (size_t)some, n -= (size_t)some;
  }
  return 1;
}

const char *filemap_open(int fd, size_t size) {
  size_t page = page_size(), whole = size / page * page;
  if (size < SMALLEST) return NULL;
  char *at = mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return NULL;
  if (mmap(at, whole, PROT_READ, MAP_PRIVATE | MAP_FIXED | MAP_POPULATE, fd, 0) == MAP_FAILED ||
      !read_tail(fd, at + whole, whole, size - whole)) {
    munmap(at, whole + page);
    return NULL;
  }
  sigaction(SIGBUS, &(struct sigaction){.sa_handler = cut_short}, NULL);
  return at;
}

void filemap_close(const char *text, size_t size) {
  size_t page = page_size();
  munmap((char *)text, size / page * page + page);
}
