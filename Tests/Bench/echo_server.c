// echo_server SOCKET - answers each line on a Unix socket with the same 1.2 kB token answer: the floor
// for the daemon. Prints a line when it listens; ends with the program that started it.
#include "measure.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/stat.h>

enum { answer_bytes = 1200 };
static char answer[answer_bytes];

static void make_answer(void) {
  static const char head[] =
      "{\"v\":1,\"result\":{\"account\":\"bench\",\"issuer\":\"http://127.0.0.1:1\",\"subject\":\"alice\",\"access_token\":\"";
  static const char tail[] = "\",\"token_type\":\"Bearer\",\"scope\":\"openid\",\"expires_at\":4102444800}}\n";
  memset(answer, 'a', sizeof answer);
  memcpy(answer, head, sizeof head - 1);
  memcpy(answer + sizeof answer - (sizeof tail - 1), tail, sizeof tail - 1);
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

// Requests are not kept: only the line feeds count.
static void serve(int fd) {
  char bytes[4096];
  ssize_t count = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  int broken = count <= 0;
  for (ssize_t i = 0; i < count && !broken; i++) {
    if (bytes[i] == '\n') broken = send(fd, answer, sizeof answer, MSG_NOSIGNAL) != sizeof answer;
  }
  if (broken) close(fd);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  make_answer();
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
