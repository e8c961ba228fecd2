// together COUNT PROGRAM ARGUMENT... - how long until COUNT processes of one program, started at once, have
// all ended. Their standard input and output are /dev/null; one that fails ends it all.
#include "measure.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;
enum { most_processes = 1000 };

static void wait_for(pid_t pid, const char *program) {
  int status;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) fail("waitpid");
  }
  errno = 0;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail(program);
}

int main(int argc, char **argv) {
  pid_t processes[most_processes];
  posix_spawn_file_actions_t actions;
  if (argc < 3) return 2;
  size_t count = count_from(argv[1], most_processes);
  if ((errno = posix_spawn_file_actions_init(&actions)) ||
      (errno = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)) ||
      (errno = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0))) {
    fail("posix_spawn_file_actions");
  }
  double start = now_us();
  for (size_t i = 0; i < count; i++) {
    errno = posix_spawn(&processes[i], argv[2], &actions, NULL, argv + 2, environ);
    if (errno) fail(argv[2]);
  }
  for (size_t i = 0; i < count; i++) wait_for(processes[i], argv[2]);
  printf("{\"processes\":%zu,\"us\":%.1f}\n", count, now_us() - start);
  return 0;
}
