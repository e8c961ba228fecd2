// round_trips SOCKET COUNT REQUEST - how long a request line takes over one open connection, COUNT
// times. Each answer must hold an access token.
#include "measure.h"

int main(int argc, char **argv) {
  static char answer[answer_limit];
  if (argc != 4) return 2;
  size_t count = count_from(argv[2], 1000000), length = strlen(argv[3]);
  double *samples = calloc(count, sizeof *samples);
  char *request = malloc(length + 1);
  if (!samples || !request) fail("malloc");
  memcpy(request, argv[3], length);
  request[length] = '\n';

  int fd = connect_to(argv[1]);
  for (size_t i = 0; i < count; i++) {
    size_t token;
    double start = now_us();
    send_all(fd, request, length + 1);
    receive_line(fd, answer);
    samples[i] = now_us() - start;
    if (!member_text(answer, "\"access_token\"", &token)) {
      fprintf(stderr, "bench: error: request %zu was answered by %.300s\n", i + 1, answer);
      return 1;
    }
  }
  print_statistics(samples, count);
  return 0;
}
