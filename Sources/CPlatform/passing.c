#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "CPlatform.h"

long agent_send_descriptor(int socket, const void *bytes, long count, int passed) {
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = (size_t)count};
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr aligned;
  } control;
  memset(&control, 0, sizeof control);
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(header), &passed, sizeof(int));
  ssize_t sent;
  do {
    sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent < 0 ? -errno : sent;
}

long agent_receive_descriptor(int socket, void *bytes, long count, int waits, int *passed) {
  struct iovec part = {.iov_base = bytes, .iov_len = (size_t)count};
  union {
    char bytes[CMSG_SPACE(8 * sizeof(int))];
    struct cmsghdr aligned;
  } control;
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  *passed = -1;
  ssize_t got;
  do {
    got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (waits ? 0 : MSG_DONTWAIT));
  } while (got < 0 && errno == EINTR);
  if (got < 0) return -errno;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    size_t found = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t index = 0; index < found; index++) {
      int descriptor;
      memcpy(&descriptor, CMSG_DATA(header) + index * sizeof(int), sizeof(int));
      if (*passed < 0) {
        *passed = descriptor;
      } else {
        close(descriptor);
      }
    }
  }
  return got;
}

// Whether a descriptor without non-blocking calls is ready.
static int agent_is_ready(int descriptor, short events) {
  struct pollfd entry = {.fd = descriptor, .events = events};
  int count;
  do {
    count = poll(&entry, 1, 0);
  } while (count < 0 && errno == EINTR);
  return count < 0 ? -errno : count > 0 ? 0 : -EAGAIN;
}

long agent_read_now(int descriptor, void *bytes, long count) {
  ssize_t got;
  do {
    got = recv(descriptor, bytes, (size_t)count, MSG_DONTWAIT);
  } while (got < 0 && errno == EINTR);
  if (got >= 0) return got;
  if (errno != ENOTSOCK) return -errno;
  struct iovec part = {.iov_base = bytes, .iov_len = (size_t)count};
  do {
    got = preadv2(descriptor, &part, 1, -1, RWF_NOWAIT);
  } while (got < 0 && errno == EINTR);
  if (got >= 0) return got;
  if (errno != EOPNOTSUPP) return -errno;
  int ready = agent_is_ready(descriptor, POLLIN);
  if (ready < 0) return ready;
  do {
    got = read(descriptor, bytes, (size_t)count);
  } while (got < 0 && errno == EINTR);
  return got < 0 ? -errno : got;
}

long agent_write_now(int descriptor, const void *bytes, long count) {
  ssize_t sent;
  do {
    sent = send(descriptor, bytes, (size_t)count, MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent >= 0) return sent;
  if (errno != ENOTSOCK) return -errno;
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = (size_t)count};
  do {
    sent = pwritev2(descriptor, &part, 1, -1, RWF_NOWAIT);
  } while (sent < 0 && errno == EINTR);
  if (sent >= 0) return sent;
  if (errno != EOPNOTSUPP) return -errno;
  int ready = agent_is_ready(descriptor, POLLOUT);
  if (ready < 0) return ready;
  // pipe(7): a pipe that is ready has room for this many bytes.
  do {
    sent = write(descriptor, bytes, count < PIPE_BUF ? (size_t)count : PIPE_BUF);
  } while (sent < 0 && errno == EINTR);
  return sent < 0 ? -errno : sent;
}
