// token_server SOCKET - answers each line on a Unix socket with the token of its account: the floor for the daemon. Reads the account's
// name, finds it among several, and writes an answer of 1.2 kB. Prints a line when it listens; ends with the program that started it.
#include "measure.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/stat.h>

enum { token_bytes = 1024 };
static const char *const accounts[] = {"home", "work", "backup", "bench"};
static char token[token_bytes + 1];

// Another account gets an error, as from the daemon.
static int answer(char *line, char *bytes, size_t size) {
  size_t length;
  const char *name = member_text(line, "\"account\"", &length);
  for (size_t i = 0; name && i < sizeof accounts / sizeof *accounts; i++) {
    if (strlen(accounts[i]) == length && memcmp(accounts[i], name, length) == 0) {
      return snprintf(bytes, size,
                      "{\"v\":1,\"result\":{\"account\":\"%s\",\"issuer\":\"http://127.0.0.1:1\",\"subject\":\"alice\","
                      "\"access_token\":\"%s\",\"token_type\":\"Bearer\",\"scope\":\"openid\",\"expires_at\":4102444800}}\n",
                      accounts[i], token);
    }
  }
  return snprintf(bytes, size, "{\"v\":1,\"error\":{\"code\":\"no_account\",\"message\":\"no such account\"}}\n");
}

static void watch(int poller, int fd) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) != 0) fail("epoll_ctl");
}

static void accept_peer(int poller, int listener) {
  int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  if (fd < 0) return;
  if (peer_is_us(fd)) {
    watch(poller, fd);
  } else {
    close(fd);
  }
}

// A request comes in one piece, since its client sends it at once.
static void serve(int fd) {
  char bytes[4096], reply[2 * token_bytes];
  ssize_t count = recv(fd, bytes, sizeof bytes - 1, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  int broken = count <= 0;
  bytes[count > 0 ? count : 0] = 0;
  for (char *line = bytes, *end; !broken && (end = strchr(line, '\n')); line = end + 1) {
    *end = 0;
    int length = answer(line, reply, sizeof reply);
    broken = send(fd, reply, (size_t)length, MSG_NOSIGNAL) != length;
  }
  if (broken) close(fd);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  memset(token, 'a', token_bytes);
  struct sockaddr_un address = address_of(argv[1]);
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  umask(0177);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 128) != 0) {
    fail(argv[1]);
  }
  int poller = epoll_create1(EPOLL_CLOEXEC);
  if (poller < 0) fail("epoll_create1");
  watch(poller, listener);
  puts("{\"event\":\"ready\"}");
  fflush(stdout);
  for (;;) {
    struct epoll_event events[64];
    int count = epoll_wait(poller, events, 64, -1);
    if (count < 0 && errno != EINTR) fail("epoll_wait");
    for (int i = 0; i < count; i++) {
      if (events[i].data.fd == listener) {
        accept_peer(poller, listener);
      } else {
        serve(events[i].data.fd);
      }
    }
  }
}
