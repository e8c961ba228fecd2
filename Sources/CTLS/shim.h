// Shims for macros of libssl, which libcurl uses for TLS.

#ifndef AGENT_TLS_SHIM_H
#define AGENT_TLS_SHIM_H

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

// Returns the index of custom data in each context; negative on failure.
static inline int agent_tls_context_index(void) { return SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL); }

// Restricts a client with this key to its signature algorithm.
static inline int agent_tls_sign_with_p256(SSL_CTX *context) {
  return SSL_CTX_set1_client_sigalgs_list(context, "ecdsa_secp256r1_sha256");
}
// Returns how many of those signature algorithms the server accepts.
static inline int agent_tls_shared_algorithms(SSL *connection) {
  return SSL_get_shared_sigalgs(connection, 0, NULL, NULL, NULL, NULL, NULL);
}

static const int agent_tls_alert_read = SSL_CB_READ_ALERT;
// The low byte of the alert's value.
static const int agent_tls_close_notify = SSL_AD_CLOSE_NOTIFY;

#endif
