// A library for LD_PRELOAD that makes one call of a program fail, or ends the program there. It replaces functions of
// the C library, and counts calls for files below some directories and for the internet.
//
//   AGENT_FAULTS_ROOTS       the directories, separated by colons
//   AGENT_FAULTS_ORDER       a file with "SERIAL STEP FAULT"; each new serial restarts the count
//   AGENT_FAULTS_UNWATCHED   if set, the user has no watch of files left
//   AGENT_FAULTS_LOG         gets a line for each counted call: "SERIAL STEP FUNCTION PATH", and "hit" for the fault
//
// FAULT is one of
//   none           only count
//   before, after  end the process by SIGKILL before or after this call
//   short          write only a part
//   N              make this call fail with the error number N
//   N+             also make later calls fail if the error lasts; on a full disk or quota, files can be written
//                  within their reserved space (posix_fallocate)
//   done-N         do this call, but make it report the error number N
//   slow-FUNCTION  make this call and all later ones of this function take a second
//   hold-FUNCTION  block this call and all later ones of this function until there is another order

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <dirent.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum outcome { GO_ON, FAIL, FAIL_AFTER, KILL_AFTER, SHORT };

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static char roots[8][PATH_MAX];
static int root_count, is_unwatched;
static char order_path[PATH_MAX], log_path[PATH_MAX];
static long serial = -1, count, wanted;
static char fault[24];

__attribute__((constructor)) static void begin(void) {
  const char *all = getenv("AGENT_FAULTS_ROOTS"), *order = getenv("AGENT_FAULTS_ORDER"), *log = getenv("AGENT_FAULTS_LOG");
  is_unwatched = getenv("AGENT_FAULTS_UNWATCHED") != NULL;
  if (!all || !order || !log) return;
  snprintf(order_path, sizeof order_path, "%s", order);
  snprintf(log_path, sizeof log_path, "%s", log);
  for (const char *end; *all && root_count < 8; all = *end ? end + 1 : end) {
    end = strchrnul(all, ':');
    snprintf(roots[root_count++], PATH_MAX, "%.*s", (int)(end - all), all);
  }
}

// Uses only raw system calls, which are not counted.
static void read_order(void) {
  char text[64] = "";
  int file = (int)syscall(SYS_openat, AT_FDCWD, order_path, O_RDONLY | O_CLOEXEC, 0);
  if (file < 0) return;
  long length = syscall(SYS_read, file, text, sizeof text - 1);
  syscall(SYS_close, file);
  long new_serial, new_wanted;
  char new_fault[24];
  if (length <= 0 || sscanf(text, "%ld %ld %23s", &new_serial, &new_wanted, new_fault) != 3) return;
  if (new_serial != serial) count = 0;
  serial = new_serial;
  wanted = new_wanted;
  memcpy(fault, new_fault, sizeof fault);
}

static void note(const char *function, const char *path, const char *rest) {
  char line[PATH_MAX + 128];
  int length = snprintf(line, sizeof line, "%ld %ld %s %s%s\n", serial, count, function, path, rest);
  int file = (int)syscall(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return;
  syscall(SYS_write, file, line, length);
  syscall(SYS_close, file);
}

static void end_process(void) {
  syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
  for (;;) pause();
}

static int is_one_of(const char *function, const char *const *names) {
  for (; *names; names++)
    if (!strcmp(function, *names)) return 1;
  return 0;
}

// Whether the error also affects this function if it lasts. Reading continues on a full disk, for example.
static int lasts(const char *function, int number, int creates) {
  static const char *const writers[] = {"write", "pwrite", "fsync", "linkat", "mkdir", "posix_fallocate", 0};
  static const char *const changers[] = {"linkat", "mkdir", "renameat", "unlinkat", "fchmod", "posix_fallocate", 0};
  static const char *const openers[] = {"open", "openat", 0};
  switch (number) {
  case ENOSPC:
  case EDQUOT: return creates || is_one_of(function, writers);
  case EROFS:
  case EACCES: return creates || is_one_of(function, changers);
  case EMFILE:
  case ENFILE: return is_one_of(function, openers);
  case ENOLCK: return !strcmp(function, "flock");
  default: return 1;
  }
}

// Waits until the order has another serial.
static void hold(long held) {
  struct timespec pause = {.tv_nsec = 1000000};
  for (long now = held; now == held;) {
    syscall(SYS_nanosleep, &pause, 0);
    pthread_mutex_lock(&guard);
    read_order();
    now = serial;
    pthread_mutex_unlock(&guard);
  }
}

// Counts a call. For FAIL, `*number` is the error.
static enum outcome step(const char *function, const char *path, int creates, int *number) {
  pthread_mutex_lock(&guard);
  read_order();
  if (serial < 0) {
    pthread_mutex_unlock(&guard);
    return GO_ON;
  }
  count++;
  enum outcome outcome = GO_ON;
  char *rest;
  *number = (int)strtol(fault, &rest, 10);
  int is_now = count == wanted;
  // The count varies slightly, so a fault for a file may reach a network call, which would lose a response. A full
  // disk does not fail a recv.
  if (*number > 0 && *number != EINTR && (!strcmp(function, "send") || !strcmp(function, "recv"))) is_now = 0;
  if (*rest == '+' && wanted > 0) is_now = count >= wanted && lasts(function, *number, creates);
  int holds = !strncmp(fault, "hold-", 5), is_slow = !strncmp(fault, "slow-", 5), is_done = !strncmp(fault, "done-", 5);
  if (is_done) *number = atoi(fault + 5);
  if (holds || is_slow) is_now = wanted > 0 && count >= wanted && !strcmp(function, fault + 5);
  if (!is_now || !strcmp(fault, "none")) {
    note(function, path, "");
  } else {
    note(function, path, " hit");
    if (holds) {
      long held = serial;
      pthread_mutex_unlock(&guard);
      hold(held);
      return GO_ON;
    }
    if (is_slow) {
      pthread_mutex_unlock(&guard);
      syscall(SYS_nanosleep, &(struct timespec){.tv_sec = 1}, 0);
      return GO_ON;
    }
    if (!strcmp(fault, "before")) end_process();
    outcome = is_done ? FAIL_AFTER : !strcmp(fault, "after") ? KILL_AFTER : !strcmp(fault, "short") ? SHORT : FAIL;
  }
  pthread_mutex_unlock(&guard);
  return outcome;
}

// Returns 1 and the path of an open file if the file is watched.
static int watched_file(int file, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  long length = root_count ? syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1) : -1;
  if (length < 0) return 0;
  path[length] = 0;
  for (int index = 0; index < root_count; index++)
    if (!strncmp(path, roots[index], strlen(roots[index]))) return 1;
  return 0;
}

static int watched_path(int directory, const char *name, char *path) {
  if (name[0] == '/' || directory == AT_FDCWD) {
    snprintf(path, PATH_MAX, "%s", name);
    for (int index = 0; index < root_count; index++)
      if (!strncmp(path, roots[index], strlen(roots[index]))) return 1;
    return 0;
  }
  if (!watched_file(directory, path)) return 0;
  size_t length = strlen(path);
  snprintf(path + length, PATH_MAX - length, "/%s", name);
  return 1;
}

// The inodes of the last files for which space was reserved.
static ino_t reserved[256];
static unsigned reserved_count;

static ino_t inode(int file) {
  char name[64];
  struct statx found;
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  return syscall(SYS_statx, AT_FDCWD, name, 0, STATX_INO, &found) == 0 ? found.stx_ino : 0;
}

static int reserve(int file, off_t start, off_t size) {
  int result = NEXT(posix_fallocate)(file, start, size);
  pthread_mutex_lock(&guard);
  if (result == 0) reserved[reserved_count++ % 256] = inode(file);
  pthread_mutex_unlock(&guard);
  return result;
}

// Whether the error is about space, and the file has reserved its space.
static int has_space(int file, int number) {
  if (number != ENOSPC && number != EDQUOT) return 0;
  int saved = errno, result = 0;
  ino_t found = inode(file);
  errno = saved;
  pthread_mutex_lock(&guard);
  for (int index = 0; index < 256; index++) result |= found && reserved[index] == found;
  pthread_mutex_unlock(&guard);
  return result;
}

// Runs `real` as one step.
#define CALL(watched, function, creates, real, failure)                                                                \
  do {                                                                                                                 \
    int saved = errno, number = 0;                                                                                     \
    if (!(watched)) {                                                                                                  \
      errno = saved;                                                                                                   \
      return real;                                                                                                     \
    }                                                                                                                  \
    enum outcome outcome = step(function, path, creates, &number);                                                     \
    if (outcome == FAIL) {                                                                                             \
      errno = number;                                                                                                  \
      return failure;                                                                                                  \
    }                                                                                                                  \
    errno = saved;                                                                                                     \
    __typeof__(real) result = real;                                                                                    \
    if (outcome == KILL_AFTER) end_process();                                                                          \
    if (outcome == FAIL_AFTER) {                                                                                       \
      errno = number;                                                                                                  \
      return failure;                                                                                                  \
    }                                                                                                                  \
    return result;                                                                                                     \
  } while (0)

// Whether the error is about space, and the file exists, so that opening it needs none.
static int exists(int directory, const char *name, int number) {
  if (number != ENOSPC && number != EDQUOT) return 0;
  int saved = errno, result = syscall(SYS_faccessat, directory, name, F_OK) == 0;
  errno = saved;
  return result;
}

int open(const char *name, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  char path[PATH_MAX];
  CALL(
    watched_path(AT_FDCWD, name, path), "open", flags & (O_CREAT | O_WRONLY), NEXT(open)(name, flags, mode),
    exists(AT_FDCWD, name, number) ? NEXT(open)(name, flags, mode) : -1);
}

int openat(int directory, const char *name, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  char path[PATH_MAX];
  CALL(
    watched_path(directory, name, path), "openat", flags & (O_CREAT | O_WRONLY),
    NEXT(openat)(directory, name, flags, mode),
    exists(directory, name, number) ? NEXT(openat)(directory, name, flags, mode) : -1);
}

ssize_t read(int file, void *bytes, size_t size) {
  char path[PATH_MAX];
  CALL(watched_file(file, path), "read", 0, NEXT(read)(file, bytes, size), -1);
}

ssize_t write(int file, const void *bytes, size_t size) {
  char path[PATH_MAX];
  int number;
  if (!watched_file(file, path)) return NEXT(write)(file, bytes, size);
  switch (step("write", path, 0, &number)) {
  case FAIL:
    if (has_space(file, number)) return NEXT(write)(file, bytes, size);
    errno = number;
    return -1;
  case SHORT: return NEXT(write)(file, bytes, size > 1 ? size / 2 : size);
  case KILL_AFTER: NEXT(write)(file, bytes, size); end_process(); return -1;
  default: return NEXT(write)(file, bytes, size);
  }
}

int fsync(int file) {
  char path[PATH_MAX];
  CALL(watched_file(file, path), "fsync", 0, NEXT(fsync)(file), has_space(file, number) ? NEXT(fsync)(file) : -1);
}

int ftruncate(int file, off_t size) {
  char path[PATH_MAX];
  CALL(watched_file(file, path), "ftruncate", 0, NEXT(ftruncate)(file, size), -1);
}

int fchmod(int file, mode_t mode) {
  char path[PATH_MAX];
  CALL(watched_file(file, path), "fchmod", 0, NEXT(fchmod)(file, mode), -1);
}

int posix_fallocate(int file, off_t start, off_t size) {
  char path[PATH_MAX];
  CALL(watched_file(file, path), "posix_fallocate", 0, reserve(file, start, size), number);
}

int flock(int file, int operation) {
  char path[PATH_MAX];
  CALL(watched_file(file, path), "flock", 0, NEXT(flock)(file, operation), -1);
}

int fstat(int file, struct stat *status) {
  char path[PATH_MAX];
  CALL(watched_file(file, path), "fstat", 0, NEXT(fstat)(file, status), -1);
}

int fstatat(int directory, const char *restrict name, struct stat *restrict status, int flags) {
  char path[PATH_MAX];
  CALL(watched_path(directory, name, path), "fstatat", 0, NEXT(fstatat)(directory, name, status, flags), -1);
}

int lstat(const char *restrict name, struct stat *restrict status) {
  char path[PATH_MAX];
  CALL(watched_path(AT_FDCWD, name, path), "lstat", 0, NEXT(lstat)(name, status), -1);
}

int mkdir(const char *name, mode_t mode) {
  char path[PATH_MAX];
  CALL(watched_path(AT_FDCWD, name, path), "mkdir", 1, NEXT(mkdir)(name, mode), -1);
}

int renameat(int from, const char *name, int to, const char *new_name) {
  char path[PATH_MAX];
  CALL(watched_path(to, new_name, path), "renameat", 0, NEXT(renameat)(from, name, to, new_name), -1);
}

int linkat(int from, const char *name, int to, const char *new_name, int flags) {
  char path[PATH_MAX];
  CALL(watched_path(to, new_name, path), "linkat", 0, NEXT(linkat)(from, name, to, new_name, flags), -1);
}

int unlinkat(int directory, const char *name, int flags) {
  char path[PATH_MAX];
  CALL(watched_path(directory, name, path), "unlinkat", 0, NEXT(unlinkat)(directory, name, flags), -1);
}

int inotify_init1(int flags) {
  if (!is_unwatched) return NEXT(inotify_init1)(flags);
  errno = EMFILE;
  return -1;
}

DIR *fdopendir(int file) {
  char path[PATH_MAX];
  CALL(watched_file(file, path), "fdopendir", 0, NEXT(fdopendir)(file), NULL);
}

// Linux closes the file even if it reports an error (close(2)).
int close(int file) {
  char path[PATH_MAX];
  int number;
  if (!watched_file(file, path)) return NEXT(close)(file);
  enum outcome outcome = step("close", path, 0, &number);
  int result = NEXT(close)(file);
  if (outcome == KILL_AFTER) end_process();
  if (outcome != FAIL) return result;
  errno = number;
  return -1;
}

static int is_internet(int socket) {
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  return root_count && !getsockname(socket, (struct sockaddr *)&address, &size) && address.ss_family != AF_UNIX;
}

ssize_t send(int socket, const void *bytes, size_t size, int flags) {
  const char *path = "network";
  CALL(is_internet(socket), "send", 0, NEXT(send)(socket, bytes, size, flags), -1);
}

// Only received data is a step: the number of empty calls depends on timing.
ssize_t recv(int socket, void *bytes, size_t size, int flags) {
  // Peeks first, since a failing call must not consume data.
  int number, saved = errno;
  if ((flags & MSG_PEEK) || !is_internet(socket) || NEXT(recv)(socket, bytes, size, flags | MSG_PEEK) <= 0) {
    errno = saved;
    return NEXT(recv)(socket, bytes, size, flags);
  }
  enum outcome outcome = step("recv", "network", 0, &number);
  if (outcome == FAIL) {
    errno = number;
    return -1;
  }
  errno = saved;
  ssize_t result = NEXT(recv)(socket, bytes, size, flags);
  if (outcome == KILL_AFTER) end_process();
  return result;
}
