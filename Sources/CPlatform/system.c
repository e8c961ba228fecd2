#define _GNU_SOURCE
#include "CPlatform.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

const char *agent_error_name(int number) { return strerrorname_np(number); }

const char *agent_error_description(int number) { return strerrordesc_np(number); }

void *agent_directory_open(int descriptor) { return fdopendir(descriptor); }

const char *agent_directory_next(void *stream, int *failure) {
  errno = 0;
  struct dirent *entry = readdir(stream);
  *failure = entry ? 0 : errno;
  return entry ? entry->d_name : 0;
}

void agent_directory_close(void *stream) { closedir(stream); }

int agent_replaceable(int directory, const char *name, long long *size) {
  struct statx found;
  *size = 0;
  if (statx(directory, name, AT_SYMLINK_NOFOLLOW, STATX_SIZE, &found) != 0) return errno == ENOENT ? 0 : errno;
  *size = (long long)found.stx_size;
  unsigned long long attributes = found.stx_attributes & found.stx_attributes_mask;
  if (attributes & STATX_ATTR_MOUNT_ROOT) return EBUSY;
  return attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND) ? EPERM : 0;
}

void agent_sync_directory(int directory) {
  if (fsync(directory) != 0) syncfs(directory);
}

int agent_random(void *bytes, long count) {
  char *next = bytes;
  while (count > 0) {
    ssize_t got = getrandom(next, (size_t)count, 0);
    if (got < 0 && errno != EINTR) return -errno;
    if (got > 0) {
      next += got;
      count -= got;
    }
  }
  return 0;
}

int agent_terminal_is_foreground(int descriptor) {
  pid_t group = tcgetpgrp(descriptor);
  return group >= 0 ? group == getpgrp() : -errno;
}

// Bits of the disabled flags.
enum { SHOWN = 1, LINES = 2 };

int agent_terminal_hide_typing(int descriptor, int by_character) {
  struct termios settings;
  if (tcgetattr(descriptor, &settings) != 0) return -errno;
  tcflag_t hidden = settings.c_lflag & (by_character ? ECHO | ICANON : ECHO);
  if (hidden == 0) return 0;
  settings.c_lflag &= ~hidden;
  if (hidden & ICANON) {
    settings.c_cc[VMIN] = 1;
    settings.c_cc[VTIME] = 0;
  }
  if (tcsetattr(descriptor, by_character ? TCSAFLUSH : TCSANOW, &settings) != 0) return -errno;
  return (hidden & ECHO ? SHOWN : 0) | (hidden & ICANON ? LINES : 0);
}

int agent_terminal_show_typing(int descriptor, int hidden) {
  struct termios settings;
  if (tcgetattr(descriptor, &settings) != 0) return -errno;
  if (hidden & SHOWN) settings.c_lflag |= ECHO;
  if (hidden & LINES) settings.c_lflag |= ICANON;
  // Input typed for this process must not reach the next one.
  return tcsetattr(descriptor, hidden & LINES ? TCSAFLUSH : TCSANOW, &settings) == 0 ? 0 : -errno;
}

int agent_terminal_set_echo(int descriptor, int enabled) {
  struct termios settings;
  if (tcgetattr(descriptor, &settings) != 0) return -errno;
  // With echo disabled, still show the newline, or the next line would follow the prompt.
  if (enabled) settings.c_lflag |= ECHO;
  else settings.c_lflag = (settings.c_lflag & ~(tcflag_t)ECHO) | ECHONL;
  return tcsetattr(descriptor, TCSAFLUSH, &settings) == 0 ? 0 : -errno;
}

unsigned agent_user_id(void) {
  // One more than the number, so that 0 means unknown.
  static _Atomic long known;
  long value = atomic_load_explicit(&known, memory_order_relaxed);
  if (!value) {
    value = (long)geteuid() + 1;
    atomic_store_explicit(&known, value, memory_order_relaxed);
  }
  return (unsigned)(value - 1);
}
