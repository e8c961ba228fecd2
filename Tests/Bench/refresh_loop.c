// refresh_loop TOKEN-ENDPOINT CLIENT-ID COUNT [CA-FILE] - how long the server alone takes to refresh:
// one connection that is kept open, COUNT refreshes (RFC 6749, section 6), each with the refresh token
// that the one before gave. The first is read from standard input.
#include "measure.h"

#include <curl/curl.h>

struct answer {
  size_t length;
  char text[answer_limit];
};

static size_t keep(char *bytes, size_t one, size_t count, void *context) {
  struct answer *answer = context;
  if (one * count >= answer_limit - answer->length) return 0;
  memcpy(answer->text + answer->length, bytes, one * count);
  answer->length += one * count;
  answer->text[answer->length] = 0;
  return one * count;
}

static CURL *connection_to(const char *endpoint, const char *ca_file, struct answer *answer) {
  errno = 0;
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) fail("curl_global_init");
  CURL *curl = curl_easy_init();
  if (!curl || curl_easy_setopt(curl, CURLOPT_URL, endpoint) || curl_easy_setopt(curl, CURLOPT_NOPROXY, "*") ||
      curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https") || curl_easy_setopt(curl, CURLOPT_TIMEOUT, 30L) ||
      curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, keep) || curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer) ||
      (ca_file && curl_easy_setopt(curl, CURLOPT_CAINFO, ca_file))) {
    fail("libcurl");
  }
  return curl;
}

// One refresh; the refresh token is replaced by its successor. Returns microseconds.
static double refresh(CURL *curl, const char *client, struct answer *answer, char *token, size_t token_limit) {
  char form[2 * 4096 + 512];
  size_t length;
  char *client_text = curl_easy_escape(curl, client, 0), *token_text = curl_easy_escape(curl, token, 0);
  if (!client_text || !token_text) fail("curl_easy_escape");
  int size = snprintf(form, sizeof form, "grant_type=refresh_token&client_id=%s&refresh_token=%s", client_text, token_text);
  curl_free(client_text);
  curl_free(token_text);
  errno = 0;
  if (size < 0 || (size_t)size >= sizeof form) fail("the refresh token");

  answer->length = 0;
  answer->text[0] = 0;
  if (curl_easy_setopt(curl, CURLOPT_POSTFIELDS, form)) fail("libcurl");
  double start = now_us();
  CURLcode code = curl_easy_perform(curl);
  double time = now_us() - start;
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  errno = 0;
  if (code != CURLE_OK) fail(curl_easy_strerror(code));
  if (status != 200) fail("the status of the token endpoint");
  char *next = member_text(answer->text, "\"refresh_token\"", &length);
  if (!next || length >= token_limit) fail("the answer of the token endpoint");
  memcpy(token, next, length);
  token[length] = 0;
  return time;
}

int main(int argc, char **argv) {
  static struct answer answer;
  char token[4096];
  if (argc != 4 && argc != 5) return 2;
  size_t count = count_from(argv[3], 100000);
  double *samples = calloc(count, sizeof *samples);
  if (!samples || !fgets(token, sizeof token, stdin)) fail("the first refresh token");
  token[strcspn(token, "\n")] = 0;

  CURL *curl = connection_to(argv[1], argc == 5 ? argv[4] : NULL, &answer);
  // The first one opens the connection and is not counted.
  refresh(curl, argv[2], &answer, token, sizeof token);
  for (size_t i = 0; i < count; i++) samples[i] = refresh(curl, argv[2], &answer, token, sizeof token);
  print_statistics(samples, count);
  curl_easy_cleanup(curl);
  return 0;
}
