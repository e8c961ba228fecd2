#define _GNU_SOURCE
#include "CPlatform.h"
#include "errors.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int dispose(int number, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler};
  return or_errno(sigaction(number, &action, 0));
}

int agent_signal_ignore(int number) { return dispose(number, SIG_IGN); }

int agent_signal_default(int number) { return dispose(number, SIG_DFL); }

int agent_signal_is_ignored(int number) {
  struct sigaction action;
  if (sigaction(number, 0, &action) != 0) return -errno;
  return action.sa_handler == SIG_IGN;
}

static volatile sig_atomic_t kept_child, kept_socket;

// Uses only async-signal-safe functions (signal-safety(7)).
static void end_after_child(int number) {
  pid_t child = kept_child;
  if (child > 0) {
    shutdown(kept_socket, SHUT_RDWR);
    const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
    for (int waits = 0; waits < 1000 && waitpid(child, 0, WNOHANG) == 0; waits++) nanosleep(&pause, 0);
  }
  dispose(number, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  raise(number);
  pthread_sigmask(SIG_UNBLOCK, &only, 0);
}

void agent_signal_keep_child(int child, int socket) {
  kept_child = 0;
  kept_socket = socket;
  kept_child = child;
}

int agent_signal_end_after_child(int number) { return dispose(number, end_after_child); }

static int make_set(sigset_t *set, const int *numbers, long count) {
  sigemptyset(set);
  for (long i = 0; i < count; i++) {
    if (sigaddset(set, numbers[i]) != 0) return -errno;
  }
  return 0;
}

int agent_signal_block(const int *numbers, long count) {
  sigset_t set;
  int failure = make_set(&set, numbers, count);
  return failure < 0 ? failure : -pthread_sigmask(SIG_BLOCK, &set, 0);
}

int agent_signal_unblock_all(void) {
  sigset_t none;
  sigemptyset(&none);
  return -pthread_sigmask(SIG_SETMASK, &none, 0);
}

int agent_signal_descriptor(const int *numbers, long count) {
  sigset_t set;
  int failure = make_set(&set, numbers, count);
  if (failure < 0) return failure;
  return or_errno(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

int agent_signal_next(int descriptor, int *by_kernel) {
  struct signalfd_siginfo information;
  ssize_t count = read(descriptor, &information, sizeof information);
  if (count < 0) return -errno;
  if (count != sizeof information) return -EIO;
  *by_kernel = information.ssi_code > 0;
  return (int)information.ssi_signo;
}

int agent_signal_obey(int number) {
  sigset_t only;
  int failure = make_set(&only, &number, 1);
  if (failure < 0) return failure;
  raise(number);
  pthread_sigmask(SIG_UNBLOCK, &only, 0);
  pthread_sigmask(SIG_BLOCK, &only, 0);
  return 0;
}
