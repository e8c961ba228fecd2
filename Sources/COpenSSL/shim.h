// Shims that make libcrypto's macros callable from Swift.

#ifndef AGENT_OPENSSL_SHIM_H
#define AGENT_OPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/conf.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/decoder.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/encoder.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// The allocation macros add the file and the line.
static inline void *agent_secure_zalloc(size_t count) { return OPENSSL_secure_zalloc(count); }
static inline void agent_secure_clear_free(void *bytes, size_t count) { OPENSSL_secure_clear_free(bytes, count); }
static inline void agent_free(void *bytes) { OPENSSL_free(bytes); }

// Converts between two character types for bytes.
static inline int agent_scrypt(
    const unsigned char *passphrase, size_t passphrase_count, const unsigned char *salt, size_t salt_count,
    uint64_t n, uint64_t r, uint64_t p, uint64_t memory, unsigned char *key, size_t key_count) {
  return EVP_PBE_scrypt(
      (const char *)passphrase, passphrase_count, salt, salt_count, n, r, p, memory, key, key_count);
}

// A parameter keeps the pointer to its name. Swift would convert libcrypto's macros to temporary strings; these have
// static lifetime.
static inline const char *agent_name_rsa_n(void) { return OSSL_PKEY_PARAM_RSA_N; }
static inline const char *agent_name_rsa_e(void) { return OSSL_PKEY_PARAM_RSA_E; }
static inline const char *agent_name_group(void) { return OSSL_PKEY_PARAM_GROUP_NAME; }
static inline const char *agent_name_public_key(void) { return OSSL_PKEY_PARAM_PUB_KEY; }
static inline const char *agent_name_user_authorization(void) { return "user-auth"; }

// Encoders and decoders also keep the pointers to the names.
static inline OSSL_ENCODER_CTX *agent_tpm_key_encoder(const EVP_PKEY *key) {
  return OSSL_ENCODER_CTX_new_for_pkey(key, EVP_PKEY_KEYPAIR, "DER", "PrivateKeyInfo", "provider=tpm2");
}
static inline OSSL_DECODER_CTX *agent_tpm_key_decoder(EVP_PKEY **key, OSSL_LIB_CTX *library) {
  return OSSL_DECODER_CTX_new_for_pkey(key, "DER", "TSS2", "EC", EVP_PKEY_KEYPAIR, library, "provider=tpm2");
}

// A public key on P-256 with a callback for signatures. libcrypto does not use its providers for low-level keys with a
// custom method. These functions are deprecated but exist in every version 3.
typedef int (*agent_ec_signer)(
    int type, const unsigned char *digest, int count, unsigned char *signature, unsigned int *signature_count,
    const BIGNUM *inverse, const BIGNUM *nonce_point, EC_KEY *key);
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
// Returns the index of custom data in each such key; negative on failure.
static inline int agent_ec_key_index(CRYPTO_EX_dup *copy, CRYPTO_EX_free *release) {
  return EC_KEY_get_ex_new_index(0, NULL, NULL, copy, release);
}
static inline void *agent_ec_key_data(const EC_KEY *key, int index) { return EC_KEY_get_ex_data(key, index); }
static inline EC_KEY_METHOD *agent_ec_method(agent_ec_signer signer) {
  EC_KEY_METHOD *method = EC_KEY_METHOD_new(EC_KEY_OpenSSL());
  if (method) EC_KEY_METHOD_set_sign(method, signer, NULL, NULL);
  return method;
}
// If the result is 1, the library owns `data`.
static inline int agent_ec_key(
    EVP_PKEY **key, const BIGNUM *x, const BIGNUM *y, const EC_KEY_METHOD *method, int index, void *data) {
  EC_KEY *point = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
  EVP_PKEY *made = EVP_PKEY_new();
  if (point && made && EC_KEY_set_public_key_affine_coordinates(point, (BIGNUM *)x, (BIGNUM *)y) == 1 &&
      EC_KEY_set_method(point, method) == 1 && EVP_PKEY_assign_EC_KEY(made, point) == 1) {
    if (EC_KEY_set_ex_data(point, index, data) == 1) {
      *key = made;
      return 1;
    }
    point = NULL;
  }
  EC_KEY_free(point);
  EVP_PKEY_free(made);
  return 0;
}
#pragma clang diagnostic pop

// Macros defined by other macros.
static inline int agent_selection_public_key(void) { return EVP_PKEY_PUBLIC_KEY; }
static inline int agent_text_utf8(void) { return MBSTRING_UTF8; }

#endif
