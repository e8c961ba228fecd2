#define _GNU_SOURCE
#include "CPlatform.h"
#include "errors.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_listed(const struct agent_spawn_request *request, int child) {
  for (long i = 0; i < request->descriptor_count; i++) {
    if (request->child_descriptors[i] == child) return 1;
  }
  return 0;
}

static int first_free(const struct agent_spawn_request *request) {
  int first = 3;
  for (long i = 0; i < request->descriptor_count; i++) {
    if (request->child_descriptors[i] >= first) first = request->child_descriptors[i] + 1;
  }
  return first;
}

// `copies` are above every number in the child, so that no step overwrites the source of a later one.
static int set_actions(posix_spawn_file_actions_t *actions, const struct agent_spawn_request *request,
                       const int *copies, int first_closed) {
  int failure = 0;
  for (long i = 0; i < request->descriptor_count && !failure; i++) {
    failure = posix_spawn_file_actions_adddup2(actions, copies[i], request->child_descriptors[i]);
  }
  for (int child = 0; child < 3 && request->null_standard_streams && !failure; child++) {
    if (is_listed(request, child)) continue;
    failure = posix_spawn_file_actions_addopen(actions, child, "/dev/null", child == 0 ? O_RDONLY : O_WRONLY, 0);
  }
  for (int child = 3; child < first_closed && !failure; child++) {
    if (!is_listed(request, child)) failure = posix_spawn_file_actions_addclose(actions, child);
  }
  if (!failure) failure = posix_spawn_file_actions_addclosefrom_np(actions, first_closed);
  if (!failure && request->directory) failure = posix_spawn_file_actions_addchdir_np(actions, request->directory);
  return -failure;
}

static int set_attributes(posix_spawnattr_t *attributes, const struct agent_spawn_request *request) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  if (request->new_session) flags |= POSIX_SPAWN_SETSID;
  int failure = posix_spawnattr_setsigmask(attributes, &none);
  if (!failure) failure = posix_spawnattr_setsigdefault(attributes, &all);
  if (!failure) failure = posix_spawnattr_setflags(attributes, flags);
  return -failure;
}

static int spawn_with_copies(const struct agent_spawn_request *request, const int *copies, int first_closed) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int failure = posix_spawn_file_actions_init(&actions);
  if (failure) return -failure;
  failure = posix_spawnattr_init(&attributes);
  if (failure) {
    posix_spawn_file_actions_destroy(&actions);
    return -failure;
  }
  pid_t process = 0;
  int result = set_actions(&actions, request, copies, first_closed);
  if (result == 0) result = set_attributes(&attributes, request);
  if (result == 0) {
    result = -posix_spawn(&process, request->executable, &actions, &attributes, request->arguments,
                          request->environment);
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return result < 0 ? result : process;
}

int agent_spawn(const struct agent_spawn_request *request) {
  int first_closed = first_free(request);
  int *copies = calloc((size_t)request->descriptor_count + 1, sizeof *copies);
  if (!copies) return -ENOMEM;
  int result = 0;
  long made = 0;
  while (made < request->descriptor_count && result == 0) {
    copies[made] = fcntl(request->parent_descriptors[made], F_DUPFD_CLOEXEC, first_closed);
    if (copies[made] < 0) result = -errno;
    else made++;
  }
  if (result == 0) result = spawn_with_copies(request, copies, first_closed);
  while (made > 0) close(copies[--made]);
  free(copies);
  return result;
}

int agent_wait(int process, int block, int *signalled, int *number) {
  int status;
  pid_t found = waitpid(process, &status, block ? 0 : WNOHANG);
  if (found < 0) return -errno;
  if (found == 0) return 0;
  *signalled = WIFSIGNALED(status);
  *number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return 1;
}

int agent_child_change(int process, int *number) {
  int status;
  pid_t found = waitpid(process, &status, WNOHANG | WUNTRACED | WCONTINUED);
  if (found < 0) return -errno;
  *number = 0;
  if (found == 0) return agent_child_unchanged;
  if (WIFCONTINUED(status)) return agent_child_continued;
  *number = WIFEXITED(status) ? WEXITSTATUS(status) : WIFSTOPPED(status) ? WSTOPSIG(status) : WTERMSIG(status);
  if (WIFSTOPPED(status)) return agent_child_stopped;
  return WIFEXITED(status) ? agent_child_exited : agent_child_signalled;
}

// Signals that the parent ignores stay ignored, except SIGPIPE and SIGXFSZ, which this program itself ignores.
static int spawn_beside(const char *path, char *const *arguments, char *const *environment,
                        const posix_spawn_file_actions_t *actions) {
  posix_spawnattr_t attributes;
  int failure = posix_spawnattr_init(&attributes);
  if (failure) return -failure;
  sigset_t none, own;
  sigemptyset(&none);
  sigemptyset(&own);
  sigaddset(&own, SIGPIPE);
  sigaddset(&own, SIGXFSZ);
  failure = posix_spawnattr_setsigmask(&attributes, &none);
  if (!failure) failure = posix_spawnattr_setsigdefault(&attributes, &own);
  if (!failure) failure = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t process = 0;
  if (!failure) failure = posix_spawn(&process, path, actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  return failure ? -failure : process;
}

int agent_spawn_beside(const char *path, char *const *arguments, char *const *environment, int null_input) {
  if (!null_input) return spawn_beside(path, arguments, environment, 0);
  posix_spawn_file_actions_t actions;
  int failure = posix_spawn_file_actions_init(&actions);
  if (failure) return -failure;
  failure = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  int result = failure ? -failure : spawn_beside(path, arguments, environment, &actions);
  posix_spawn_file_actions_destroy(&actions);
  return result;
}

int agent_process_descriptor(int process) { return or_errno((int)syscall(SYS_pidfd_open, process, 0)); }

int agent_execute(const char *path, char *const *arguments, char *const *environment) {
  execve(path, arguments, environment);
  return -errno;
}

const char *agent_environment_entry(long index) { return environ ? environ[index] : 0; }

int agent_environment_remove(const char *name) { return unsetenv(name) == 0 ? 0 : -errno; }

int agent_limit(int resource, long *soft, long *hard) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0) return -errno;
  *soft = limit.rlim_cur > LONG_MAX ? -1 : (long)limit.rlim_cur;
  *hard = limit.rlim_max > LONG_MAX ? -1 : (long)limit.rlim_max;
  return 0;
}

int agent_limit_raise(int resource, long most) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0) return -errno;
  rlim_t wanted = most >= 0 && limit.rlim_max > (rlim_t)most ? (rlim_t)most : limit.rlim_max;
  if (limit.rlim_cur >= wanted) return 0;
  limit.rlim_cur = wanted;
  return or_errno(setrlimit(resource, &limit));
}

int agent_limit_lower(int resource, long most) {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  // The sanitizer's shadow memory alone exceeds every limit.
  if (resource == RLIMIT_DATA) return 0;
#endif
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0) return -errno;
  if (limit.rlim_max <= (rlim_t)most) return 0;
  limit.rlim_cur = limit.rlim_max = (rlim_t)most;
  return or_errno(setrlimit(resource, &limit));
}

int agent_disable_core_dumps(void) {
  struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
  return or_errno(setrlimit(RLIMIT_CORE, &none));
}

int agent_run_on_all_processors(void) {
  // The maximum number that the kernel supports. It removes missing ones, and those of other control groups.
  unsigned char all[8192 / 8];
  memset(all, 0xFF, sizeof all);
  return or_errno(sched_setaffinity(0, sizeof all, (const cpu_set_t *)all));
}

void agent_reset_priority(void) {
  struct sched_param none = {0};
  sched_setscheduler(0, SCHED_OTHER, &none);
  setpriority(PRIO_PROCESS, 0, 0);
  // ioprio_set(2) has no wrapper: IOPRIO_WHO_PROCESS, this thread, IOPRIO_CLASS_NONE.
  syscall(SYS_ioprio_set, 1, 0, 0);
}

int agent_set_undumpable(void) { return or_errno(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)); }

int agent_is_dumpable(void) { return or_errno(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0)); }
