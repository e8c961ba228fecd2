// bench ROUNDS BATCHES ::: LABEL [NAME=VALUE]... [<FILE] PROGRAM ARGUMENT... [::: LABEL ...]...
//
// A NAME=VALUE is in the environment of that program, and FILE is its standard input, else /dev/null; its standard output is
// /dev/null. Runs the programs in turn, ROUNDS times each in every one of BATCHES after some rounds that are not counted,
// and measures each whole process from its start until it was waited for. The order is drawn for each round, so that none has
// the better place: a server that has just answered another program is quicker to wake. A program that fails ends it all.
// Prints a JSON object per program: the median time of all rounds and of each batch, the median of page faults, and that of
// instructions outside the kernel, which is null where the machine does not count them.
#include "measure.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

extern char **environ;
enum { most_programs = 24, most_batches = 100, counted_rounds = 5 };

struct program {
  const char *label;
  const char *input;
  char **arguments;
  char **environment;
  double *times, *faults;
};

// Whether a setting, NAME=VALUE, is of the name that an entry of the environment has.
static int sets(const char *setting, const char *entry) {
  return strncmp(entry, setting, (size_t)(strchr(setting, '=') - setting) + 1) == 0;
}

// The environment with these settings, and without what had their names.
static char **environment_with(char **settings, size_t count) {
  size_t inherited = 0, kept = count;
  while (environ[inherited]) inherited++;
  char **environment = calloc(inherited + count + 1, sizeof *environment);
  if (!environment) fail("calloc");
  memcpy(environment, settings, count * sizeof *settings);
  for (size_t i = 0; i < inherited; i++) {
    size_t named = 0;
    while (named < count && !sets(settings[named], environ[i])) named++;
    if (named == count) environment[kept++] = environ[i];
  }
  return environment;
}

// Cuts the command line into programs; each `:::` becomes the NULL that ends an argument vector.
static size_t programs_from(char **words, struct program *programs) {
  size_t count = 0;
  while (*words) {
    if (strcmp(*words, ":::") != 0 || count == most_programs) return 0;
    *words++ = NULL;
    if (!words[0]) return 0;
    char **settings = words + 1, **arguments = settings;
    while (*arguments && **arguments != '<' && strchr(*arguments, '=')) arguments++;
    size_t setting_count = (size_t)(arguments - settings);
    const char *input = *arguments && **arguments == '<' ? *arguments++ + 1 : "/dev/null";
    if (!*arguments) return 0;
    programs[count++] = (struct program){
        .label = words[0], .input = input, .arguments = arguments, .environment = environment_with(settings, setting_count)};
    while (*words && strcmp(*words, ":::") != 0) words++;
  }
  return count;
}

// Runs it once; what was measured is sample `index`.
static void run(struct program *program, size_t index) {
  pid_t pid;
  int status;
  struct rusage usage;
  posix_spawn_file_actions_t actions;
  if ((errno = posix_spawn_file_actions_init(&actions)) ||
      (errno = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, program->input, O_RDONLY, 0)) ||
      (errno = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0))) {
    fail("posix_spawn_file_actions");
  }
  double start = now_us();
  errno = posix_spawn(&pid, program->arguments[0], &actions, NULL, program->arguments, program->environment);
  if (errno) fail(program->arguments[0]);
  while (wait4(pid, &status, 0, &usage) < 0) {
    if (errno != EINTR) fail("wait4");
  }
  program->times[index] = now_us() - start;
  program->faults[index] = (double)(usage.ru_minflt + usage.ru_majflt);
  posix_spawn_file_actions_destroy(&actions);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    errno = 0;
    fail(program->label);
  }
}

// Samples that are not counted are overwritten.
static void measure(struct program *programs, size_t count, size_t rounds, size_t batches) {
  struct program *order[most_programs];
  unsigned seed = 1;
  size_t uncounted = rounds / 10 + 1;
  for (size_t i = 0; i < count; i++) order[i] = &programs[i];
  for (size_t round = 0; round < uncounted + rounds * batches; round++) {
    size_t index = round < uncounted ? 0 : round - uncounted;
    for (size_t left = count; left > 0; left--) {
      size_t drawn = (size_t)rand_r(&seed) % left;
      struct program *program = order[drawn];
      order[drawn] = order[left - 1];
      order[left - 1] = program;
      run(program, index);
    }
  }
}

// Counts instructions outside the kernel of a process and of those that it starts, from its exec on. Below 0 where that
// cannot be.
static int open_counter(pid_t pid) {
  struct perf_event_attr attributes = {.type = PERF_TYPE_HARDWARE,
                                       .size = sizeof attributes,
                                       .config = PERF_COUNT_HW_INSTRUCTIONS,
                                       .disabled = 1,
                                       .inherit = 1,
                                       .enable_on_exec = 1,
                                       .exclude_kernel = 1,
                                       .exclude_hv = 1};
  return (int)syscall(SYS_perf_event_open, &attributes, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

// The program in a process that begins when the pipe is closed.
static pid_t start_held(const struct program *program, const int gate[2]) {
  pid_t pid = fork();
  if (pid < 0) fail("fork");
  if (pid > 0) return pid;
  char byte;
  int input = open(program->input, O_RDONLY), output = open("/dev/null", O_WRONLY);
  close(gate[1]);
  if (read(gate[0], &byte, 1) == 0 && dup2(input, STDIN_FILENO) == STDIN_FILENO && dup2(output, STDOUT_FILENO) == STDOUT_FILENO) {
    execve(program->arguments[0], program->arguments, program->environment);
  }
  _exit(127);
}

// The median of some rounds that are not timed, or a negative number where the machine does not count.
static double instructions_of(const struct program *program) {
  double samples[counted_rounds];
  for (size_t round = 0; round < counted_rounds; round++) {
    int gate[2], status;
    unsigned long long count = 0;
    if (pipe2(gate, O_CLOEXEC) != 0) fail("pipe2");
    pid_t pid = start_held(program, gate);
    int counter = open_counter(pid);
    close(gate[0]);
    close(gate[1]);
    if (waitpid(pid, &status, 0) != pid) fail("waitpid");
    if (counter < 0) return -1;
    if (read(counter, &count, sizeof count) != sizeof count) fail("the count of instructions");
    close(counter);
    errno = 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail(program->label);
    samples[round] = (double)count;
  }
  return median_of(samples, counted_rounds);
}

static void print(struct program *program, size_t rounds, size_t batches) {
  size_t all = rounds * batches;
  printf("{\"label\":\"%s\",\"rounds\":%zu,\"batches_us\":[", program->label, all);
  for (size_t batch = 0; batch < batches; batch++) {
    printf("%s%.1f", batch ? "," : "", median_of(program->times + batch * rounds, rounds));
  }
  printf("],\"median_us\":%.1f,\"page_faults\":%.0f,\"instructions\":", median_of(program->times, all),
         median_of(program->faults, all));
  double instructions = instructions_of(program);
  if (instructions < 0) {
    puts("null}");
  } else {
    printf("%.0f}\n", instructions);
  }
}

int main(int argc, char **argv) {
  struct program programs[most_programs];
  size_t count = argc > 3 ? programs_from(argv + 3, programs) : 0;
  if (count == 0) {
    fputs("usage: bench ROUNDS BATCHES ::: LABEL [NAME=VALUE]... [<FILE] PROGRAM ARGUMENT... [::: ...]...\n", stderr);
    return 2;
  }
  size_t rounds = count_from(argv[1], 100000), batches = count_from(argv[2], most_batches);
  for (size_t i = 0; i < count; i++) {
    programs[i].times = calloc(2 * rounds * batches, sizeof(double));
    if (!programs[i].times) fail("calloc");
    programs[i].faults = programs[i].times + rounds * batches;
  }
  measure(programs, count, rounds, batches);
  for (size_t i = 0; i < count; i++) print(&programs[i], rounds, batches);
  return 0;
}
