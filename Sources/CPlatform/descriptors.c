#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

int agent_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC) == 0 ? 0 : -errno; }

int agent_socket_pair(int ends[2]) {
  return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 ? 0 : -errno;
}

int agent_duplicate(int descriptor) {
  int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  return copy >= 0 ? copy : -errno;
}

int agent_memory_file(void) {
  int file = memfd_create("agent", MFD_CLOEXEC);
  return file >= 0 ? file : -errno;
}

int agent_set_nonblocking(int descriptor, int enabled) {
  int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0) return -errno;
  int wanted = enabled ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
  if (wanted == flags) return 0;
  return fcntl(descriptor, F_SETFL, wanted) == 0 ? 0 : -errno;
}

int agent_poll_one(int descriptor, int for_writing, int timeout_milliseconds) {
  struct pollfd entry = {.fd = descriptor, .events = for_writing ? POLLOUT : POLLIN};
  int count = poll(&entry, 1, timeout_milliseconds);
  return count >= 0 ? count : -errno;
}
