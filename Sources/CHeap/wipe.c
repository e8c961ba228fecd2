// Overwrites all memory of the plain heap as it is freed.
//
// Secrets lie on the secure heap, but what is read out of them on the way, names and claims for example, passes through
// strings and arrays of Swift and buffers of libraries. The C library's `free` leaves their bytes where they were. A program
// that links this module has its own `free` and `realloc` in their place, for itself and for all its libraries.
//
// Memory that was handed back to the system is zero when it comes again, so this is all there is.

#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <string.h>

#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

// The C library's own, which it offers for this purpose.
extern void __libc_free(void *memory);

void free(void *memory) {
  if (!memory) return;
  int number = errno;
  explicit_bzero(memory, malloc_usable_size(memory));
  __libc_free(memory);
  errno = number;
}

// The C library frees the old place by a way of its own, so moving is done here.
void *realloc(void *memory, size_t size) {
  if (!memory) return malloc(size);
  if (!size) {
    free(memory);
    return NULL;
  }
  size_t room = malloc_usable_size(memory);
  // What is a little too large stays where it is; the end of it is not in use any more.
  if (size <= room && size >= room / 2) return memory;
  void *moved = malloc(size);
  if (!moved) return NULL;
  memcpy(moved, memory, room < size ? room : size);
  free(memory);
  return moved;
}

#endif
