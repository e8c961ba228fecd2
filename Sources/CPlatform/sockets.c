#define _GNU_SOURCE
#include "CPlatform.h"
#include "errors.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

int agent_unix_socket(void) { return or_errno(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

// The maximum length of a path, excluding the final NUL.
long agent_unix_path_capacity(void) { return (long)sizeof(((struct sockaddr_un *)0)->sun_path) - 1; }

static int unix_address(struct sockaddr_un *address, const char *path) {
  size_t length = strlen(path);
  if (length == 0 || length > (size_t)agent_unix_path_capacity()) return -ENAMETOOLONG;
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  memcpy(address->sun_path, path, length);
  return 0;
}

int agent_unix_bind(int descriptor, const char *path) {
  struct sockaddr_un address;
  int failure = unix_address(&address, path);
  if (failure < 0) return failure;
  return or_errno(bind(descriptor, (struct sockaddr *)&address, sizeof address));
}

int agent_unix_connect(int descriptor, const char *path) {
  struct sockaddr_un address;
  int failure = unix_address(&address, path);
  if (failure < 0) return failure;
  return or_errno(connect(descriptor, (struct sockaddr *)&address, sizeof address));
}

int agent_loopback_socket(int ipv6) {
  return or_errno(socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

union loopback_address {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
};

static socklen_t loopback_address(union loopback_address *address, int ipv6, int port) {
  memset(address, 0, sizeof *address);
  if (ipv6) {
    address->v6.sin6_family = AF_INET6;
    address->v6.sin6_port = htons((unsigned short)port);
    address->v6.sin6_addr = in6addr_loopback;
    return sizeof address->v6;
  }
  address->v4.sin_family = AF_INET;
  address->v4.sin_port = htons((unsigned short)port);
  address->v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return sizeof address->v4;
}

int agent_loopback_bind(int descriptor, int ipv6, int port) {
  union loopback_address address;
  socklen_t length = loopback_address(&address, ipv6, port);
  int one = 1;
  if (setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0) return -errno;
  return or_errno(bind(descriptor, &address.any, length));
}

int agent_loopback_connect(int descriptor, int ipv6, int port) {
  union loopback_address address;
  socklen_t length = loopback_address(&address, ipv6, port);
  return or_errno(connect(descriptor, &address.any, length));
}

int agent_tcp_end(int descriptor, int of_peer, unsigned int *words, int *count) {
  union loopback_address address;
  socklen_t length = sizeof address;
  int failure = of_peer ? getpeername(descriptor, &address.any, &length) : getsockname(descriptor, &address.any, &length);
  if (failure != 0) return -errno;
  switch (address.any.sa_family) {
    case AF_INET:
      *count = 1;
      memcpy(words, &address.v4.sin_addr, sizeof address.v4.sin_addr);
      return ntohs(address.v4.sin_port);
    case AF_INET6:
      *count = 4;
      memcpy(words, &address.v6.sin6_addr, sizeof address.v6.sin6_addr);
      return ntohs(address.v6.sin6_port);
    default: return -EAFNOSUPPORT;
  }
}

int agent_accept(int listener) { return or_errno(accept4(listener, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK)); }

int agent_peer(int descriptor, unsigned int *user) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -errno;
  // For a socket that is not local, the call returns process 0 and user -1 instead of failing. A peer in a parent
  // process namespace has process 0 and its real user.
  if (length != sizeof peer || peer.uid == (uid_t)-1) return -ENOTCONN;
  *user = peer.uid;
  return peer.pid;
}

int agent_is_unix_connection(int descriptor) {
  int domain = 0, type = 0, listens = 0;
  socklen_t length = sizeof domain;
  if (getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) != 0) return -errno;
  length = sizeof type;
  if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) != 0) return -errno;
  length = sizeof listens;
  if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) != 0) return -errno;
  return domain == AF_UNIX && type == SOCK_STREAM && !listens;
}

int agent_set_send_timeout(int descriptor, long seconds) {
  struct timeval limit = {.tv_sec = seconds};
  return or_errno(setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit));
}

int agent_set_timeouts(int descriptor, long milliseconds) {
  struct timeval limit = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
  if (setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0) return -errno;
  return or_errno(setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit));
}
