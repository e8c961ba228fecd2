// load SOCKET CALLERS CALLS each|open REQUEST... - CALLERS threads ask CALLS times altogether, in turn with these requests:
// `each` with a connection for each call, which is opened, checked and closed, `open` over one connection that each keeps.
// An answer ends with its line or with the connection. Prints one JSON object: calls per second, how long a call took,
// and how many were answered without an access token; the first such answer is shown on standard error.
#include "measure.h"

#include <pthread.h>
#include <stdatomic.h>

enum { most_callers = 512, most_calls = 10000000 };

struct caller {
  pthread_t thread;
  const char *request;
  size_t length;
  double *samples;
  size_t count, room;
};

static const char *path;
static int keeps_open;
static size_t calls;
static atomic_size_t begun, refused;
static pthread_barrier_t start;

// Reads an answer into the buffer; false when there is none.
static int receive_answer(int fd, char *answer) {
  size_t have = 0;
  for (;;) {
    ssize_t got = recv(fd, answer + have, answer_limit - 1 - have, 0);
    if (got < 0) return 0;
    have += (size_t)got;
    answer[have] = 0;
    if (got == 0 || answer[have - 1] == '\n' || have == answer_limit - 1) return have > 0;
  }
}

static int ask(int fd, const struct caller *caller, char *answer) {
  size_t length;
  if (send(fd, caller->request, caller->length, MSG_NOSIGNAL) != (ssize_t)caller->length || !receive_answer(fd, answer)) {
    strcpy(answer, "the end of the connection");
    return 0;
  }
  return member_text(answer, "\"access_token\"", &length) != NULL;
}

static void keep(struct caller *caller, double sample) {
  if (caller->count == caller->room) {
    caller->room = caller->room ? 2 * caller->room : 1024;
    caller->samples = realloc(caller->samples, caller->room * sizeof *caller->samples);
    if (!caller->samples) fail("realloc");
  }
  caller->samples[caller->count++] = sample;
}

static void *run(void *context) {
  struct caller *caller = context;
  char *answer = malloc(answer_limit);
  if (!answer) fail("malloc");
  int fd = keeps_open ? connect_to(path) : -1;
  pthread_barrier_wait(&start);
  while (atomic_fetch_add(&begun, 1) < calls) {
    double before = now_us();
    if (!keeps_open) fd = connect_to(path);
    int is_good = ask(fd, caller, answer);
    if (!keeps_open) close(fd);
    keep(caller, now_us() - before);
    if (!is_good && atomic_fetch_add(&refused, 1) == 0) fprintf(stderr, "load: answered by %.300s\n", answer);
  }
  free(answer);
  return NULL;
}

static char *line_from(const char *text, size_t *length) {
  *length = strlen(text) + 1;
  char *line = malloc(*length);
  if (!line) fail("malloc");
  memcpy(line, text, *length - 1);
  line[*length - 1] = '\n';
  return line;
}

// All samples in one array, sorted.
static double *collect(const struct caller *callers, size_t count) {
  double *all = malloc(calls * sizeof *all);
  size_t have = 0;
  if (!all) fail("malloc");
  for (size_t i = 0; i < count; i++) {
    if (callers[i].count) memcpy(all + have, callers[i].samples, callers[i].count * sizeof *all);
    have += callers[i].count;
  }
  qsort(all, have, sizeof *all, compare_samples);
  return all;
}

static double part(const double *sorted, double fraction) { return sorted[(size_t)((double)(calls - 1) * fraction)]; }

int main(int argc, char **argv) {
  static struct caller callers[most_callers];
  if (argc < 6 || (strcmp(argv[4], "each") != 0 && strcmp(argv[4], "open") != 0)) return 2;
  size_t count = count_from(argv[2], most_callers);
  path = argv[1];
  calls = count_from(argv[3], most_calls);
  keeps_open = strcmp(argv[4], "open") == 0;
  if ((errno = pthread_barrier_init(&start, NULL, (unsigned)count + 1))) fail("pthread_barrier_init");
  for (size_t i = 0; i < count; i++) {
    callers[i].request = line_from(argv[5 + i % (size_t)(argc - 5)], &callers[i].length);
    if ((errno = pthread_create(&callers[i].thread, NULL, run, &callers[i]))) fail("pthread_create");
  }
  pthread_barrier_wait(&start);
  double before = now_us();
  for (size_t i = 0; i < count; i++) pthread_join(callers[i].thread, NULL);
  double seconds = (now_us() - before) / 1e6;
  double *sorted = collect(callers, count);
  printf("{\"callers\":%zu,\"calls\":%zu,\"refused\":%zu,\"per_second\":%.1f,\"median_us\":%.1f,\"p99_us\":%.1f,"
         "\"p999_us\":%.1f,\"max_us\":%.1f}\n",
         count, calls, refused, (double)calls / seconds, part(sorted, 0.5), part(sorted, 0.99), part(sorted, 0.999),
         sorted[calls - 1]);
  return 0;
}
