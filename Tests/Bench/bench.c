// bench ROUNDS -- LABEL [NAME=VALUE]... PROGRAM ARGUMENT... [-- LABEL [NAME=VALUE]... PROGRAM ARGUMENT...]...
//
// A NAME=VALUE is in the environment of that program.
// Runs the programs in turn, ROUNDS times each after some rounds that are not counted, and measures each
// whole process from its start until it was waited for. Prints a JSON object per program, with the ratio
// of its median to the first program's. Who begins changes from round to round, so that none has the
// better place. Standard input and output of the programs are /dev/null; a program that fails ends it all.
#include "measure.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;
enum { most_programs = 8 };

struct program {
  const char *label;
  char **arguments;
  char **environment;
  double *samples;
  double median;
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

// Cuts the command line into programs; each `--` becomes the NULL that ends an argument vector.
static size_t programs_from(char **words, struct program *programs) {
  size_t count = 0;
  while (*words) {
    if (strcmp(*words, "--") != 0 || count == most_programs) return 0;
    *words++ = NULL;
    if (!words[0]) return 0;
    char **settings = words + 1, **arguments = settings;
    while (*arguments && strchr(*arguments, '=')) arguments++;
    if (!*arguments) return 0;
    programs[count++] = (struct program){
        .label = words[0], .arguments = arguments, .environment = environment_with(settings, (size_t)(arguments - settings))};
    while (*words && strcmp(*words, "--") != 0) words++;
  }
  return count;
}

static double run(const struct program *program, posix_spawn_file_actions_t *actions) {
  pid_t pid;
  int status;
  double start = now_us();
  errno = posix_spawn(&pid, program->arguments[0], actions, NULL, program->arguments, program->environment);
  if (errno) fail(program->arguments[0]);
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) fail("waitpid");
  }
  double end = now_us();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    errno = 0;
    fail(program->label);
  }
  return end - start;
}

static void measure(struct program *programs, size_t count, size_t rounds) {
  posix_spawn_file_actions_t actions;
  if ((errno = posix_spawn_file_actions_init(&actions)) ||
      (errno = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)) ||
      (errno = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0))) {
    fail("posix_spawn_file_actions");
  }
  size_t uncounted = rounds / 10 + 1;
  for (size_t round = 0; round < uncounted + rounds; round++) {
    for (size_t turn = 0; turn < count; turn++) {
      struct program *program = &programs[(round + turn) % count];
      double time = run(program, &actions);
      if (round >= uncounted) program->samples[round - uncounted] = time;
    }
  }
  posix_spawn_file_actions_destroy(&actions);
}

int main(int argc, char **argv) {
  struct program programs[most_programs];
  size_t count = argc > 2 ? programs_from(argv + 2, programs) : 0;
  if (count == 0) {
    fputs("usage: bench ROUNDS -- LABEL [NAME=VALUE]... PROGRAM ARGUMENT... [-- ...]...\n", stderr);
    return 2;
  }
  size_t rounds = count_from(argv[1], 100000);
  for (size_t i = 0; i < count; i++) {
    programs[i].samples = calloc(rounds, sizeof(double));
    if (!programs[i].samples) fail("calloc");
  }
  measure(programs, count, rounds);
  for (size_t i = 0; i < count; i++) {
    struct program *program = &programs[i];
    program->median = median_of(program->samples, rounds);
    printf("{\"label\":\"%s\",\"rounds\":%zu,\"min_us\":%.1f,\"median_us\":%.1f,\"max_us\":%.1f,\"ratio\":%.3f}\n",
           program->label, rounds, program->samples[0], program->median, program->samples[rounds - 1],
           program->median / programs[0].median);
  }
  return 0;
}
