// exchanges SOCKET COUNT REQUEST - how long a request takes that has a connection of its own, COUNT times:
// connect, check who answers, ask, read. The answer ends with its line or with the connection.
#include "measure.h"

static double exchange(const char *path, const char *request, size_t length, char *answer) {
  size_t have = 0;
  double start = now_us();
  int fd = connect_to(path);
  send_all(fd, request, length);
  for (;;) {
    ssize_t got = recv(fd, answer + have, answer_limit - 1 - have, 0);
    if (got < 0) fail("recv");
    have += (size_t)got;
    if (got == 0 || answer[have - 1] == '\n' || have == answer_limit - 1) break;
  }
  close(fd);
  answer[have] = 0;
  return now_us() - start;
}

int main(int argc, char **argv) {
  static char answer[answer_limit];
  if (argc != 4) return 2;
  size_t count = count_from(argv[2], 1000000), length = strlen(argv[3]);
  double *samples = calloc(count, sizeof *samples);
  char *request = malloc(length + 1);
  if (!samples || !request) fail("malloc");
  memcpy(request, argv[3], length);
  request[length] = '\n';
  for (size_t i = 0; i < count; i++) {
    size_t token;
    samples[i] = exchange(argv[1], request, length + 1, answer);
    if (!member_text(answer, "\"access_token\"", &token)) {
      fprintf(stderr, "bench: error: request %zu was answered by %.300s\n", i + 1, answer);
      return 1;
    }
  }
  print_statistics(samples, count);
  return 0;
}
