// Typed functions for libcurl's variadic setters and getters.

#ifndef AGENT_CURL_SHIM_H
#define AGENT_CURL_SHIM_H

#include <curl/curl.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#if LIBCURL_VERSION_NUM < 0x075700
#error "libcurl 7.87 or later is needed"
#endif

#pragma clang assume_nonnull begin

// Setters, one for each kind of option.

static inline CURLcode agent_curl_set_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}
// NULL clears the option. The library copies the text, except for CURLOPT_POSTFIELDS.
static inline CURLcode agent_curl_set_text(CURL *handle, CURLoption option, const char *_Nullable value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode agent_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}
// The library copies the bytes.
static inline CURLcode agent_curl_set_blob(CURL *handle, CURLoption option, const void *bytes, size_t count) {
  struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
  return curl_easy_setopt(handle, option, &blob);
}
static inline CURLcode agent_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *_Nullable list) {
  return curl_easy_setopt(handle, option, list);
}
static inline CURLcode agent_curl_set_context(CURL *handle, CURLoption option, void *_Nullable context) {
  return curl_easy_setopt(handle, option, context);
}

// For CURLOPT_WRITEFUNCTION, CURLOPT_HEADERFUNCTION and CURLOPT_READFUNCTION, which have the same type.
typedef size_t (*agent_curl_receiver)(char *bytes, size_t size, size_t count, void *_Nullable context);
static inline CURLcode agent_curl_set_receiver(CURL *handle, CURLoption option, agent_curl_receiver receiver) {
  return curl_easy_setopt(handle, option, receiver);
}
// For CURLOPT_SOCKOPTFUNCTION.
typedef int (*agent_curl_socket_check)(void *_Nullable context, curl_socket_t socket, curlsocktype purpose);
static inline CURLcode agent_curl_set_socket_check(CURL *handle, agent_curl_socket_check check) {
  return curl_easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, check);
}

// For CURLOPT_SSL_CTX_FUNCTION. The second argument depends on the TLS library: an `SSL_CTX` for OpenSSL.
typedef CURLcode (*agent_curl_tls_hook)(CURL *handle, void *_Nullable tls, void *_Nullable context);
static inline CURLcode agent_curl_set_tls_hook(CURL *handle, agent_curl_tls_hook hook) {
  return curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, hook);
}

// Getters.

static inline CURLcode agent_curl_get_number(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode agent_curl_get_time(CURL *handle, CURLINFO info, curl_off_t *microseconds) {
  return curl_easy_getinfo(handle, info, microseconds);
}
// The text belongs to the handle.
static inline CURLcode agent_curl_get_text(CURL *handle, CURLINFO info, const char *_Nullable *_Nonnull value) {
  return curl_easy_getinfo(handle, info, value);
}

typedef struct {
  // Whether a transfer has begun but not completed successfully.
  bool is_busy;
  // The number of open sockets: two while trying both IPv4 and IPv6.
  int open;
  // The sum of their numbers; for one socket, its number.
  int64_t sum;
} agent_curl_connections;

static inline void agent_curl_note_socket(agent_curl_connections *connections, curl_socket_t socket) {
  connections->open += 1;
  connections->sum += socket;
}
// Whether the connection, if any, is open and has no bytes to read.
static inline bool agent_curl_is_quiet(const agent_curl_connections *connections) {
  if (connections->open == 0) return true;
  if (connections->open != 1) return false;
  struct pollfd entry = {.fd = (int)connections->sum, .events = POLLIN};
  return poll(&entry, 1, 0) == 0;
}
// Whether the server's machine has stopped acknowledging data over the only connection: some was sent again at least
// twice, and nothing was acknowledged for this long. A slow server does acknowledge.
static inline bool agent_curl_is_unacknowledged(const agent_curl_connections *connections, unsigned milliseconds) {
  struct tcp_info info;
  socklen_t size = sizeof info;
  if (connections->open != 1) return false;
  memset(&info, 0, sizeof info);
  if (getsockopt((int)connections->sum, IPPROTO_TCP, TCP_INFO, &info, &size)) return false;
  return info.tcpi_unacked > 0 && info.tcpi_retransmits >= 2 && info.tcpi_last_ack_recv >= milliseconds;
}
// Whether a new connection to the peer would have the only connection's local address. If not, the address or route is
// gone, or there is a new one, such as a VPN's.
static inline bool agent_curl_has_local_address(const agent_curl_connections *connections) {
  struct sockaddr_storage own, peer, now;
  socklen_t own_size = sizeof own, peer_size = sizeof peer, now_size = sizeof now;
  if (connections->open != 1) return true;
  if (getsockname((int)connections->sum, (struct sockaddr *)&own, &own_size)) return false;
  if (getpeername((int)connections->sum, (struct sockaddr *)&peer, &peer_size)) return false;
  // Sends nothing.
  int probe = socket(peer.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return true;
  bool is_same = false;
  if (!connect(probe, (struct sockaddr *)&peer, peer_size) && !getsockname(probe, (struct sockaddr *)&now, &now_size) &&
      now.ss_family == own.ss_family) {
    if (own.ss_family == AF_INET)
      is_same = ((struct sockaddr_in *)&own)->sin_addr.s_addr == ((struct sockaddr_in *)&now)->sin_addr.s_addr;
    else if (own.ss_family == AF_INET6)
      is_same = !memcmp(&((struct sockaddr_in6 *)&own)->sin6_addr, &((struct sockaddr_in6 *)&now)->sin6_addr,
                        sizeof(struct in6_addr));
  }
  close(probe);
  return is_same;
}
// During a transfer, discards unsent data.
static inline int agent_curl_close_socket(void *context, curl_socket_t socket) {
  agent_curl_connections *connections = context;
  struct linger at_once = {.l_onoff = 1, .l_linger = 0};
  if (connections->is_busy) setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  connections->open -= 1;
  connections->sum -= socket;
  return close(socket);
}
// For CURLOPT_CLOSESOCKETFUNCTION. A connection keeps the pointer as long as it exists.
static inline CURLcode agent_curl_watch_closing(CURL *handle, agent_curl_connections *connections) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, agent_curl_close_socket);
  return code ? code : curl_easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, connections);
}

// Returns whether a multi handle has a result.
static inline int agent_curl_take_result(CURLM *multi, CURLcode *code) {
  int left = 0;
  CURLMsg *message = curl_multi_info_read(multi, &left);
  if (!message || message->msg != CURLMSG_DONE) return 0;
  *code = message->data.result;
  return 1;
}

// By name and version.
static inline const char *_Nullable agent_curl_tls_library(void) {
  return curl_version_info(CURLVERSION_NOW)->ssl_version;
}

static inline const char *agent_curl_version(void) { return curl_version_info(CURLVERSION_NOW)->version; }

// The built-in directory of trusted certificates, hashed by subject; NULL if none.
static inline const char *_Nullable agent_curl_certificate_directory(void) {
  return curl_version_info(CURLVERSION_NOW)->capath;
}

// The built-in file of trusted certificates; NULL if none.
static inline const char *_Nullable agent_curl_certificate_bundle(void) {
  return curl_version_info(CURLVERSION_NOW)->cainfo;
}

// Overwrites the library's copies of header lines, then frees the list.
static inline void agent_curl_wipe_and_free_list(struct curl_slist *_Nullable list) {
  for (struct curl_slist *item = list; item; item = item->next)
    if (item->data) explicit_bzero(item->data, strlen(item->data));
  curl_slist_free_all(list);
}

// An allocator that overwrites freed memory, since requests and responses pass through libcurl's buffers on the
// ordinary heap.
static inline void agent_curl_wipe_and_free(void *_Nullable bytes) {
  if (bytes) explicit_bzero(bytes, malloc_usable_size(bytes));
  free(bytes);
}
static inline void *_Nullable agent_curl_move(void *_Nullable bytes, size_t size) {
  void *moved = malloc(size);
  if (!moved || !bytes) return moved;
  size_t used = malloc_usable_size(bytes);
  memcpy(moved, bytes, used < size ? used : size);
  agent_curl_wipe_and_free(bytes);
  return moved;
}
static inline CURLcode agent_curl_initialise(void) {
  return curl_global_init_mem(CURL_GLOBAL_DEFAULT, malloc, agent_curl_wipe_and_free, agent_curl_move, strdup, calloc);
}

#pragma clang assume_nonnull end

#endif
