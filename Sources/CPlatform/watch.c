#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "CPlatform.h"

int agent_watch_create(int directory) {
  int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (watch < 0) return -errno;
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", directory);
  if (inotify_add_watch(watch, path, IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR) < 0) {
    int failure = errno;
    close(watch);
    return -failure;
  }
  return watch;
}

void agent_watch_drain(int watch) {
  char events[4096];
  while (read(watch, events, sizeof events) > 0) {
  }
}
