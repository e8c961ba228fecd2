// Sets the clocks of a program: a library for LD_PRELOAD that adds offsets to the kernel's clocks. The file
// CLOCK_OFFSETS contains two numbers of eight bytes, the seconds for CLOCK_REALTIME and for CLOCK_BOOTTIME.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
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

// The last setting of each timer, by descriptor, since the kernel does not know that the clock was set.
enum { most_timers = 256 };
static struct itimerspec timers[most_timers];
static long long boot_offset;
static atomic_flag is_busy = ATOMIC_FLAG_INIT;

// Converts the time of the clock below to the kernel's.
static int set_timer(int timer, int flags, const struct itimerspec *new, struct itimerspec *old) {
  struct itimerspec when = *new;
  if (offsets && flags & TFD_TIMER_ABSTIME && (when.it_value.tv_sec || when.it_value.tv_nsec)) {
    when.it_value.tv_sec -= offsets[1];
    if (when.it_value.tv_sec < 0) when.it_value = (struct timespec){.tv_nsec = 1};
  }
  return (int)syscall(SYS_timerfd_settime, timer, flags, &when, old);
}

// Timers whose time has passed expire now, as when a machine wakes up.
static void notice_set_clock(void) {
  while (atomic_flag_test_and_set(&is_busy)) {}
  if (boot_offset != offsets[1]) {
    boot_offset = offsets[1];
    for (int timer = 0; timer < most_timers; timer++) {
      if (timers[timer].it_value.tv_sec) set_timer(timer, TFD_TIMER_ABSTIME, &timers[timer], NULL);
    }
  }
  atomic_flag_clear(&is_busy);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (result != 0 || !offsets) return result;
  if (boot_offset != offsets[1]) notice_set_clock();
  if (clock == CLOCK_REALTIME) time->tv_sec += offsets[0];
  if (clock == CLOCK_BOOTTIME) time->tv_sec += offsets[1];
  return result;
}

int timerfd_settime(int timer, int flags, const struct itimerspec *new, struct itimerspec *old) {
  while (atomic_flag_test_and_set(&is_busy)) {}
  if (flags & TFD_TIMER_ABSTIME && timer >= 0 && timer < most_timers) timers[timer] = *new;
  int result = set_timer(timer, flags, new, old);
  atomic_flag_clear(&is_busy);
  return result;
}
