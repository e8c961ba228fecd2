#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

struct start {
  void (*run)(void *);
  void *context;
};

static void *begin(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
  start.run(start.context);
  return 0;
}

// All signals except those that a fault raises in the thread itself.
static void asynchronous_signals(sigset_t *set) {
  sigfillset(set);
  const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
  for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(set, faults[i]);
}

static int create(pthread_t *thread, const pthread_attr_t *attributes, struct start *start) {
  sigset_t blocked, before;
  asynchronous_signals(&blocked);
  int failure = pthread_sigmask(SIG_BLOCK, &blocked, &before);
  if (failure) return failure;
  failure = pthread_create(thread, attributes, begin, start);
  pthread_sigmask(SIG_SETMASK, &before, 0);
  return failure;
}

int agent_thread_start(const char *name, long stack_bytes, void (*run)(void *), void *context) {
  struct start *start = malloc(sizeof *start);
  if (!start) return -ENOMEM;
  *start = (struct start){.run = run, .context = context};
  pthread_attr_t attributes;
  int failure = pthread_attr_init(&attributes);
  if (failure) {
    free(start);
    return -failure;
  }
  pthread_t thread;
  failure = pthread_attr_setstacksize(&attributes, (size_t)stack_bytes);
  if (!failure) failure = create(&thread, &attributes, start);
  pthread_attr_destroy(&attributes);
  if (failure) {
    free(start);
    return -failure;
  }
  // The handle stays valid until the thread is detached.
  pthread_setname_np(thread, name);
  pthread_detach(thread);
  return 0;
}

struct monitor {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
};

void *agent_monitor_create(void) {
  struct monitor *monitor = malloc(sizeof *monitor);
  if (!monitor) return 0;
  if (pthread_mutex_init(&monitor->mutex, 0) != 0) {
    free(monitor);
    return 0;
  }
  if (pthread_cond_init(&monitor->condition, 0) != 0) {
    pthread_mutex_destroy(&monitor->mutex);
    free(monitor);
    return 0;
  }
  return monitor;
}

void agent_monitor_destroy(void *opaque) {
  struct monitor *monitor = opaque;
  pthread_cond_destroy(&monitor->condition);
  pthread_mutex_destroy(&monitor->mutex);
  free(monitor);
}

void agent_monitor_lock(void *monitor) { pthread_mutex_lock(&((struct monitor *)monitor)->mutex); }

void agent_monitor_unlock(void *monitor) { pthread_mutex_unlock(&((struct monitor *)monitor)->mutex); }

void agent_monitor_wake_one(void *monitor) { pthread_cond_signal(&((struct monitor *)monitor)->condition); }

void agent_monitor_wake_all(void *monitor) { pthread_cond_broadcast(&((struct monitor *)monitor)->condition); }

int agent_monitor_wait(void *opaque, long long deadline) {
  struct monitor *monitor = opaque;
  if (deadline < 0) {
    pthread_cond_wait(&monitor->condition, &monitor->mutex);
    return 1;
  }
  struct timespec until = {.tv_sec = deadline / 1000000000, .tv_nsec = deadline % 1000000000};
  return pthread_cond_clockwait(&monitor->condition, &monitor->mutex, CLOCK_MONOTONIC, &until) != ETIMEDOUT;
}

long long agent_monotonic_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}
