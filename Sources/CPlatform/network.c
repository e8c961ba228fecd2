#define _GNU_SOURCE
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include "CPlatform.h"

int agent_network_watch_create(void) {
  int watch = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (watch < 0) return -errno;
  struct sockaddr_nl address = {
      .nl_family = AF_NETLINK,
      .nl_groups = RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR};
  if (bind(watch, (struct sockaddr *)&address, sizeof address) < 0) {
    int failure = errno;
    close(watch);
    return -failure;
  }
  return watch;
}

int agent_network_watch_take(int watch) {
  // Only the kernel sends to this group; other processes' messages are ignored by their number.
  _Alignas(struct nlmsghdr) char messages[8192];
  int came = 0;
  for (int round = 0; round < 64; round++) {
    struct sockaddr_nl sender;
    socklen_t length = sizeof sender;
    ssize_t size = recvfrom(watch, messages, sizeof messages, MSG_TRUNC, (struct sockaddr *)&sender, &length);
    if (size < 0 && errno == EINTR) continue;
    // Events were lost.
    if (size < 0 && errno == ENOBUFS) return 1;
    if (size <= 0) break;
    if (length != sizeof sender || sender.nl_pid != 0) continue;
    if ((size_t)size > sizeof messages) return 1;
    int left = (int)size;
    for (struct nlmsghdr *message = (struct nlmsghdr *)messages; NLMSG_OK(message, left); message = NLMSG_NEXT(message, left))
      if (message->nlmsg_type == RTM_NEWROUTE || message->nlmsg_type == RTM_NEWADDR) came = 1;
  }
  return came;
}
