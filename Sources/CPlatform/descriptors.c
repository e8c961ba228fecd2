#define _GNU_SOURCE
#include "CPlatform.h"
#include "errors.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

// Uses `full` for output, so that writing fails even if it is opened again by a name like /dev/stdout.
static int agent_occupy(int descriptor) {
  const char *path = descriptor == STDIN_FILENO ? "/dev/null" : "/dev/full";
  int opened = open(path, descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  if (opened < 0 && descriptor != STDIN_FILENO) opened = open("/", O_RDONLY | O_DIRECTORY);
  if (opened < 0) return -errno;
  if (opened == descriptor) return 0;
  close(opened);
  return -EBADF;
}

int agent_occupy_standard_descriptors(void) {
  struct pollfd entries[3] = {{.fd = STDIN_FILENO}, {.fd = STDOUT_FILENO}, {.fd = STDERR_FILENO}};
  if (poll(entries, 3, 0) < 0) return -errno;
  for (int descriptor = 0; descriptor < 3; descriptor++) {
    if (!(entries[descriptor].revents & POLLNVAL)) continue;
    int result = agent_occupy(descriptor);
    if (result < 0) return result;
  }
  return 0;
}

int agent_open_path(int directory, const char *name) {
  return or_errno(openat(directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

int agent_pipe(int ends[2]) { return or_errno(pipe2(ends, O_CLOEXEC)); }

int agent_socket_pair(int ends[2]) {
  return or_errno(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
}

int agent_duplicate(int descriptor) { return or_errno(fcntl(descriptor, F_DUPFD_CLOEXEC, 3)); }

int agent_memory_file(void) { return or_errno(memfd_create("agent", MFD_CLOEXEC)); }

int agent_set_nonblocking(int descriptor, int enabled) {
  int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0) return -errno;
  int wanted = enabled ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
  if (wanted == flags) return 0;
  return or_errno(fcntl(descriptor, F_SETFL, wanted));
}

int agent_poll_one(int descriptor, int for_writing, int timeout_milliseconds) {
  struct pollfd entry = {.fd = descriptor, .events = for_writing ? POLLOUT : POLLIN};
  return or_errno(poll(&entry, 1, timeout_milliseconds));
}
