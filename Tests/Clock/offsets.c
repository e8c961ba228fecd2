// Clocks that a test can set: loaded into a program with LD_PRELOAD, it adds to what the kernel's clocks say. The file
// that CLOCK_OFFSETS names holds two numbers of eight bytes: seconds for CLOCK_REALTIME, and for CLOCK_BOOTTIME.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static volatile long long *offsets;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("CLOCK_OFFSETS");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *memory = mmap(NULL, 2 * sizeof(long long), PROT_READ, MAP_SHARED, file, 0);
  if (memory != MAP_FAILED) offsets = memory;
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (result != 0 || !offsets) return result;
  if (clock == CLOCK_REALTIME) time->tv_sec += offsets[0];
  if (clock == CLOCK_BOOTTIME) time->tv_sec += offsets[1];
  return result;
}

// Moments are those of the clock above; the kernel is told its own.
int timerfd_settime(int timer, int flags, const struct itimerspec *new, struct itimerspec *old) {
  struct itimerspec when = *new;
  if (offsets && flags & TFD_TIMER_ABSTIME && (when.it_value.tv_sec || when.it_value.tv_nsec)) {
    when.it_value.tv_sec -= offsets[1];
    if (when.it_value.tv_sec < 0) when.it_value = (struct timespec){.tv_nsec = 1};
  }
  return (int)syscall(SYS_timerfd_settime, timer, flags, &when, old);
}
