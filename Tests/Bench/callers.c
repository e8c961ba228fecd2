// callers SOCKET COUNT REQUEST - how long until COUNT callers that ask at once all have their answer. Each
// has a connection, opened before. Prints the time, how many different access tokens they got, and how many got none.
#include "measure.h"

#include <poll.h>

enum { most_callers = 1000 };

struct caller {
  int fd;
  size_t length;
  char answer[answer_limit];
};

static struct caller callers[most_callers];

// Whether the whole line is there.
static int receive_some(struct caller *caller) {
  ssize_t got = recv(caller->fd, caller->answer + caller->length, answer_limit - caller->length, 0);
  if (got < 0) fail("recv");
  char *end = memchr(caller->answer + caller->length, '\n', (size_t)got);
  caller->length += (size_t)got;
  errno = 0;
  if (!end && (got == 0 || caller->length == answer_limit)) fail("the answer");
  if (end) *end = 0;
  return end != NULL;
}

static void receive_all(size_t count) {
  struct pollfd waited[most_callers];
  for (size_t i = 0; i < count; i++) waited[i] = (struct pollfd){.fd = callers[i].fd, .events = POLLIN};
  for (size_t open = count; open > 0;) {
    if (poll(waited, count, 60000) <= 0) fail("poll");
    for (size_t i = 0; i < count; i++) {
      if (!waited[i].revents || !receive_some(&callers[i])) continue;
      waited[i].fd = -1;
      open--;
    }
  }
}

static size_t different_tokens(size_t count, size_t *refused) {
  static char *tokens[most_callers];
  size_t length, different = 0;
  for (size_t i = 0; i < count; i++) {
    char *token = member_text(callers[i].answer, "\"access_token\"", &length);
    if (!token) {
      if (++*refused == 1) fprintf(stderr, "callers: caller %zu was answered by %.300s\n", i + 1, callers[i].answer);
      continue;
    }
    token[length] = 0;
    size_t known = 0;
    while (known < different && strcmp(tokens[known], token) != 0) known++;
    if (known == different) tokens[different++] = token;
  }
  return different;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  size_t count = count_from(argv[2], most_callers), length = strlen(argv[3]);
  char *request = malloc(length + 1);
  if (!request) fail("malloc");
  memcpy(request, argv[3], length);
  request[length] = '\n';

  for (size_t i = 0; i < count; i++) callers[i].fd = connect_to(argv[1]);
  double start = now_us();
  for (size_t i = 0; i < count; i++) send_all(callers[i].fd, request, length + 1);
  receive_all(count);
  double time = now_us() - start;
  size_t refused = 0, tokens = different_tokens(count, &refused);
  printf("{\"callers\":%zu,\"us\":%.1f,\"tokens\":%zu,\"refused\":%zu}\n", count, time, tokens, refused);
  return 0;
}
