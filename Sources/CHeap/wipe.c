// Overwrites freed memory of the ordinary heap. Secrets are on the secure heap, but values derived from them, such as
// names and claims, pass through Swift's strings and arrays and the buffers of libraries. A program that links this
// module replaces `free` and `realloc`, for itself and all its libraries. Memory from the system is zero, so nothing
// else is needed.

#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <string.h>

#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

// Provided by the C library for this purpose.
extern void __libc_free(void *memory);

void free(void *memory) {
  if (!memory) return;
  int number = errno;
  explicit_bzero(memory, malloc_usable_size(memory));
  __libc_free(memory);
  errno = number;
}

// The C library's realloc does not call this `free`.
void *realloc(void *memory, size_t size) {
  if (!memory) return malloc(size);
  if (!size) {
    free(memory);
    return NULL;
  }
  size_t room = malloc_usable_size(memory);
  // Keeps a block that is only a little too large.
  if (size <= room && size >= room / 2) return memory;
  void *moved = malloc(size);
  if (!moved) return NULL;
  memcpy(moved, memory, room < size ? room : size);
  free(memory);
  return moved;
}

#endif
