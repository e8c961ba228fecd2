// Shims for macros of libssl, which libcurl uses for TLS.

#ifndef AGENT_TLS_SHIM_H
#define AGENT_TLS_SHIM_H

#include <openssl/err.h>
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

// Verifies a server's certificate with the context's own store and, if that lacks the authority, with the certificates
// in the file at `path`.
static inline int agent_tls_verify_with_bundle(X509_STORE_CTX *verification, void *path) {
  int result = X509_verify_cert(verification);
  if (result > 0) return result;
  switch (X509_STORE_CTX_get_error(verification)) {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      break;
    default:
      return result;
  }
  X509_STORE *store = X509_STORE_new();
  X509_STORE_CTX *second = X509_STORE_CTX_new();
  if (store && second && X509_STORE_load_file(store, (const char *)path) == 1 &&
      X509_STORE_CTX_init(second, store, X509_STORE_CTX_get0_cert(verification),
                          X509_STORE_CTX_get0_untrusted(verification)) == 1 &&
      X509_VERIFY_PARAM_set1(X509_STORE_CTX_get0_param(second), X509_STORE_CTX_get0_param(verification)) == 1) {
    int found = X509_verify_cert(second);
    int problem = X509_STORE_CTX_get_error(second);
    // An error other than an unknown authority, such as an expired certificate, is the better reason.
    switch (problem) {
      case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
      case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
        break;
      default:
        X509_STORE_CTX_set_error(verification, problem);
        if (found > 0) {
          X509_STORE_CTX_set0_verified_chain(verification, X509_STORE_CTX_get1_chain(second));
          X509_STORE_CTX_set_error_depth(verification, 0);
          result = found;
        }
    }
  }
  X509_STORE_CTX_free(second);
  X509_STORE_free(store);
  // A file that cannot be read adds nothing.
  ERR_clear_error();
  return result;
}
// Makes handshakes verify with that function. The path must stay valid as long as the context.
static inline void agent_tls_trust_bundle(SSL_CTX *context, const char *path) {
  SSL_CTX_set_cert_verify_callback(context, agent_tls_verify_with_bundle, (void *)path);
}

static const int agent_tls_alert_read = SSL_CB_READ_ALERT;
// The low byte of the alert's value.
static const int agent_tls_close_notify = SSL_AD_CLOSE_NOTIFY;

#endif
