// What the measuring programs share: the clock, the statistics, a Unix socket.
#ifndef MEASURE_H
#define MEASURE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// What a program that measures can hold of one answer.
enum { answer_limit = 64 * 1024 };

static inline _Noreturn void fail(const char *what) {
  fprintf(stderr, "bench: error: %s: %s\n", what, errno ? strerror(errno) : "not as expected");
  exit(1);
}

static inline double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

// A count from the command line.
static inline size_t count_from(const char *text, size_t most) {
  char *end;
  errno = 0;
  unsigned long value = strtoul(text, &end, 10);
  if (end == text || *end || errno || value < 1 || value > most) {
    errno = EINVAL;
    fail(text);
  }
  return value;
}

static inline int compare_samples(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

// Sorts the samples.
static inline double median_of(double *samples, size_t count) {
  qsort(samples, count, sizeof *samples, compare_samples);
  return count % 2 ? samples[count / 2] : (samples[count / 2 - 1] + samples[count / 2]) / 2;
}

// One JSON object with the statistics of the samples, in microseconds; sorts them.
static inline void print_statistics(double *samples, size_t count) {
  double median = median_of(samples, count), sum = 0;
  for (size_t i = 0; i < count; i++) sum += samples[i];
  printf("{\"rounds\":%zu,\"min_us\":%.1f,\"median_us\":%.1f,\"mean_us\":%.1f,\"max_us\":%.1f}\n", count,
         samples[0], median, sum / (double)count, samples[count - 1]);
}

static inline struct sockaddr_un address_of(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    fail(path);
  }
  strcpy(address.sun_path, path);
  return address;
}

// Whether the peer is this user, as both ends of the real socket check it.
static inline int peer_is_us(int fd) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

static inline int connect_to(const char *path) {
  struct sockaddr_un address = address_of(path);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) fail(path);
  errno = 0;
  if (!peer_is_us(fd)) fail("the peer");
  return fd;
}

static inline void send_all(int fd, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
    if (sent < 0) fail("send");
    bytes += sent;
    count -= (size_t)sent;
  }
}

// Reads up to the first line feed, puts a NUL in its place and returns the length before it.
static inline size_t receive_line(int fd, char *buffer) {
  size_t have = 0;
  for (;;) {
    ssize_t got = recv(fd, buffer + have, answer_limit - have, 0);
    if (got < 0) fail("recv");
    char *end = memchr(buffer + have, '\n', (size_t)got);
    have += (size_t)got;
    if (end) {
      *end = 0;
      return (size_t)(end - buffer);
    }
    errno = 0;
    if (got == 0 || have == answer_limit) fail("the answer");
  }
}

// The text of a JSON string member that needs no escapes; NULL when there is none.
static inline char *member_text(char *json, const char *quoted_name, size_t *length) {
  char *at = strstr(json, quoted_name);
  if (!at) return NULL;
  at += strlen(quoted_name);
  at += strspn(at, " :");
  if (*at != '"') return NULL;
  *length = strcspn(++at, "\"\\");
  return at[*length] == '"' ? at : NULL;
}

#endif
