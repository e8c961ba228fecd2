#define _GNU_SOURCE
#include "CPlatform.h"
#include "errors.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#define MAXIMUM_EVENTS 64

int agent_epoll_create(void) { return or_errno(epoll_create1(EPOLL_CLOEXEC)); }

static int control(int poller, int operation, int descriptor, unsigned int interest, unsigned long long key) {
  struct epoll_event event = {.events = 0, .data.u64 = key};
  if (interest & agent_readable) event.events |= EPOLLIN | EPOLLRDHUP;
  if (interest & agent_writable) event.events |= EPOLLOUT;
  return or_errno(epoll_ctl(poller, operation, descriptor, &event));
}

int agent_epoll_add(int poller, int descriptor, unsigned int interest, unsigned long long key) {
  return control(poller, EPOLL_CTL_ADD, descriptor, interest, key);
}

int agent_epoll_modify(int poller, int descriptor, unsigned int interest, unsigned long long key) {
  return control(poller, EPOLL_CTL_MOD, descriptor, interest, key);
}

int agent_epoll_remove(int poller, int descriptor) { return control(poller, EPOLL_CTL_DEL, descriptor, 0, 0); }

int agent_epoll_wait(int poller, struct agent_event *events, int capacity, int timeout_milliseconds) {
  struct epoll_event found[MAXIMUM_EVENTS];
  if (capacity > MAXIMUM_EVENTS) capacity = MAXIMUM_EVENTS;
  int count = epoll_wait(poller, found, capacity, timeout_milliseconds);
  if (count < 0) return -errno;
  for (int i = 0; i < count; i++) {
    unsigned int seen = found[i].events;
    events[i].key = found[i].data.u64;
    events[i].flags = (seen & EPOLLIN ? agent_readable : 0) | (seen & EPOLLOUT ? agent_writable : 0) |
                      (seen & (EPOLLHUP | EPOLLRDHUP | EPOLLERR) ? agent_hung_up : 0);
  }
  return count;
}

int agent_event_counter_create(void) { return or_errno(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

int agent_boot_timer_create(void) { return or_errno(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)); }

int agent_boot_timer_set(int timer, long long nanoseconds) {
  struct itimerspec when = {
      .it_value = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000}};
  return or_errno(timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, 0));
}
