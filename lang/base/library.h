/* Library: shared libraries that few runs need, loaded by their first use.
 *
 * Loading FLINT, libzip and libedit with all they stand on takes several times as long as a small run of tvr, so none
 * of them is linked.  LIBRARY_FUNCTION defines a function that a library's own header declares: its first call finds
 * the real one and every call goes on to it, so that callers see nothing of this.  The definitions are hidden, or a
 * library that calls itself could find them. */
#ifndef TVR_BASE_LIBRARY_H
#define TVR_BASE_LIBRARY_H

/* A function of a library, or NULL where it is not installed. */
void *library_find(const char *library, const char *function);
/* The same; a library that is not there ends the process with a message. */
void *library_need(const char *library, const char *function);

/* The function itself, as the library's header declares it. */
#define LIBRARY_CALL(library, name) ((__typeof__(name) *)library_need(library, #name))

#define LIBRARY_FUNCTION(library, type, name, params, args) \
  __attribute__((visibility("hidden"))) type name params {  \
    static __typeof__(name) *real;                          \
    if (!real) real = LIBRARY_CALL(library, name);          \
    return real args;                                       \
  }
#endif
