// echo_client SOCKET REQUEST [PROGRAM ARGUMENT...] - the least a client can do for a token: connect, check who answers, send
// a line, read a line, print the access token, or become the program with the token in AGENT_ACCESS_TOKEN. Linked
// statically, it is the floor for `agent token` and `agent exec`.
#include "measure.h"

int main(int argc, char **argv) {
  static char answer[answer_limit];
  if (argc < 3) return 2;
  size_t length = strlen(argv[2]);
  char *request = malloc(length + 1);
  if (!request) fail("malloc");
  memcpy(request, argv[2], length);
  request[length] = '\n';

  int fd = connect_to(argv[1]);
  send_all(fd, request, length + 1);
  receive_line(fd, answer);
  errno = 0;
  char *token = member_text(answer, "\"access_token\"", &length);
  if (!token) fail("the answer");
  if (argc > 3) {
    token[length] = 0;
    if (setenv("AGENT_ACCESS_TOKEN", token, 1) == 0) execv(argv[3], argv + 3);
    fail(argv[3]);
  }
  token[length] = '\n';
  return write(STDOUT_FILENO, token, length + 1) == (ssize_t)length + 1 ? 0 : 1;
}
