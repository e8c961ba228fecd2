// bulk_tokens make ALGORITHM COUNT BYTES DIRECTORY - writes a key pair, its JWK Set, and tokens of so many bytes, one a
// line: ALGORITHM.pem, ALGORITHM.jwks and ALGORITHM.tokens.
// bulk_tokens check ALGORITHM DIRECTORY - verifies them with the calls of libcrypto that it takes at least: the parts
// are decoded and the signature is verified, one after the other; nothing is parsed. Prints how many held.
#include "measure.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

enum { line_limit = 64 * 1024 };

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
static signed char values[256];

static void prepare_values(void) {
  memset(values, -1, sizeof values);
  for (int i = 0; i < 64; i++) values[(unsigned char)alphabet[i]] = (signed char)i;
}

static size_t encode(const unsigned char *bytes, size_t count, char *text) {
  size_t out = 0;
  for (size_t i = 0; i < count; i += 3) {
    size_t left = count - i;
    unsigned group = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
    for (size_t digit = 0; digit < (left > 2 ? 4 : left + 1); digit++) text[out++] = alphabet[group >> (18 - 6 * digit) & 63];
  }
  return out;
}

static size_t decode(const char *text, size_t count, unsigned char *bytes) {
  size_t out = 0;
  unsigned group = 0, bits = 0;
  for (size_t i = 0; i < count; i++) {
    int value = values[(unsigned char)text[i]];
    if (value < 0) fail("base64url");
    group = group << 6 | (unsigned)value;
    bits += 6;
    if (bits >= 8) bytes[out++] = (unsigned char)(group >> (bits -= 8));
  }
  if (bits && group & ((1u << bits) - 1)) fail("base64url");
  return out;
}

static int is(const char *algorithm, const char *name) { return strcmp(algorithm, name) == 0; }

static const EVP_MD *digest_of(const char *algorithm) { return is(algorithm, "EdDSA") ? NULL : EVP_sha256(); }

static FILE *open_file(const char *directory, const char *algorithm, const char *kind, const char *mode) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.%s", directory, algorithm, kind);
  FILE *file = fopen(path, mode);
  if (!file) fail(path);
  return file;
}

// MARK: make

static EVP_PKEY *new_key(const char *algorithm) {
  if (is(algorithm, "RS256")) return EVP_RSA_gen(2048);
  if (is(algorithm, "ES256")) return EVP_EC_gen("P-256");
  return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
}

static void print_number(FILE *file, EVP_PKEY *key, const char *parameter, const char *name, int width) {
  BIGNUM *number = NULL;
  unsigned char bytes[1024];
  char text[2048];
  if (!EVP_PKEY_get_bn_param(key, parameter, &number)) fail(name);
  int count = width ? width : BN_num_bytes(number);
  BN_bn2binpad(number, bytes, count);
  BN_free(number);
  fprintf(file, ",\"%s\":\"%.*s\"", name, (int)encode(bytes, (size_t)count, text), text);
}

static void write_key(const char *algorithm, const char *directory, EVP_PKEY *key) {
  FILE *file = open_file(directory, algorithm, "pem", "w");
  if (!PEM_write_PUBKEY(file, key) || fclose(file) != 0) fail("the key");
  file = open_file(directory, algorithm, "jwks", "w");
  fputs("{\"keys\":[{\"kid\":\"bench\"", file);
  if (is(algorithm, "RS256")) {
    fputs(",\"kty\":\"RSA\"", file);
    print_number(file, key, OSSL_PKEY_PARAM_RSA_N, "n", 0);
    print_number(file, key, OSSL_PKEY_PARAM_RSA_E, "e", 0);
  } else if (is(algorithm, "ES256")) {
    fputs(",\"kty\":\"EC\",\"crv\":\"P-256\"", file);
    print_number(file, key, OSSL_PKEY_PARAM_EC_PUB_X, "x", 32);
    print_number(file, key, OSSL_PKEY_PARAM_EC_PUB_Y, "y", 32);
  } else {
    unsigned char bytes[32];
    char text[64];
    size_t count = sizeof bytes;
    if (!EVP_PKEY_get_raw_public_key(key, bytes, &count)) fail("the key");
    fprintf(file, ",\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"%.*s\"", (int)encode(bytes, count, text), text);
  }
  fputs("}]}\n", file);
  if (fclose(file) != 0) fail("the key set");
}

static size_t sign(const char *algorithm, EVP_PKEY *key, const char *text, size_t length, unsigned char *signature) {
  unsigned char made[1024];
  size_t count = sizeof made;
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  if (!EVP_DigestSignInit(context, NULL, digest_of(algorithm), NULL, key) ||
      !EVP_DigestSign(context, made, &count, (const unsigned char *)text, length)) {
    fail("sign");
  }
  EVP_MD_CTX_free(context);
  if (!is(algorithm, "ES256")) {
    memcpy(signature, made, count);
    return count;
  }
  const unsigned char *place = made;
  ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &place, (long)count);
  if (!pair) fail("sign");
  BN_bn2binpad(ECDSA_SIG_get0_r(pair), signature, 32);
  BN_bn2binpad(ECDSA_SIG_get0_s(pair), signature + 32, 32);
  ECDSA_SIG_free(pair);
  return 64;
}

// The claims of an access token as servers make them, and filling up to the wanted length.
static size_t write_claims(char *json, size_t room, size_t number, size_t filling) {
  long now = (long)time(NULL);
  int count = snprintf(
      json, room,
      "{\"iss\":\"https://id.example.com\",\"sub\":\"user-%zu\",\"aud\":[\"my-cli\",\"https://api.example.com\"],"
      "\"exp\":%ld,\"iat\":%ld,\"jti\":\"%08zu\",\"scope\":\"openid profile email offline_access\","
      "\"name\":\"Ann Example\",\"email\":\"ann@example.com\",\"groups\":[\"staff\",\"admins\"],\"filling\":\"%*s\"}",
      number, now + 86400, now, number, (int)filling, "");
  if (count < 0 || (size_t)count >= room) fail("the claims");
  return (size_t)count;
}

static size_t make_token(const char *algorithm, EVP_PKEY *key, size_t number, size_t filling, char *token) {
  char json[4096];
  unsigned char signature[1024];
  int header = snprintf(json, sizeof json, "{\"alg\":\"%s\",\"kid\":\"bench\",\"typ\":\"JWT\"}", algorithm);
  size_t length = encode((unsigned char *)json, (size_t)header, token);
  token[length++] = '.';
  size_t claims = write_claims(json, sizeof json, number, filling);
  length += encode((unsigned char *)json, claims, token + length);
  size_t count = sign(algorithm, key, token, length, signature);
  token[length++] = '.';
  return length + encode(signature, count, token + length);
}

static void make(const char *algorithm, size_t count, size_t bytes, const char *directory) {
  char token[line_limit];
  EVP_PKEY *key = new_key(algorithm);
  if (!key) fail("a key");
  write_key(algorithm, directory, key);
  size_t least = make_token(algorithm, key, 0, 0, token);
  size_t filling = bytes > least ? (bytes - least) * 3 / 4 : 0;
  FILE *file = open_file(directory, algorithm, "tokens", "w");
  for (size_t i = 0; i < count; i++) {
    size_t length = make_token(algorithm, key, i, filling, token);
    token[length++] = '\n';
    if (fwrite(token, 1, length, file) != length) fail("the tokens");
  }
  if (fclose(file) != 0) fail("the tokens");
  EVP_PKEY_free(key);
}

// MARK: check

static size_t to_der(const unsigned char *pair, unsigned char *der) {
  ECDSA_SIG *signature = ECDSA_SIG_new();
  ECDSA_SIG_set0(signature, BN_bin2bn(pair, 32, NULL), BN_bin2bn(pair + 32, 32, NULL));
  int count = i2d_ECDSA_SIG(signature, &der);
  ECDSA_SIG_free(signature);
  return count > 0 ? (size_t)count : 0;
}

static int holds(const char *algorithm, EVP_PKEY *key, const char *token, size_t length) {
  static unsigned char bytes[line_limit];
  unsigned char der[128], *signature = bytes;
  const char *first = memchr(token, '.', length);
  const char *second = first ? memchr(first + 1, '.', length - (size_t)(first + 1 - token)) : NULL;
  if (!second) return 0;
  decode(token, (size_t)(first - token), bytes);
  decode(first + 1, (size_t)(second - first - 1), bytes);
  size_t count = decode(second + 1, length - (size_t)(second + 1 - token), bytes);
  if (is(algorithm, "ES256")) {
    if (count != 64) return 0;
    count = to_der(bytes, der);
    signature = der;
  }
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  int result = EVP_DigestVerifyInit(context, NULL, digest_of(algorithm), NULL, key) == 1 &&
               EVP_DigestVerify(context, signature, count, (const unsigned char *)token, (size_t)(second - token)) == 1;
  EVP_MD_CTX_free(context);
  return result;
}

static void check(const char *algorithm, const char *directory) {
  FILE *file = open_file(directory, algorithm, "pem", "r");
  EVP_PKEY *key = PEM_read_PUBKEY(file, NULL, NULL, NULL);
  if (!key) fail("the key");
  fclose(file);
  file = open_file(directory, algorithm, "tokens", "r");
  char *line = NULL;
  size_t room = 0, good = 0, all = 0;
  for (ssize_t length; (length = getline(&line, &room, file)) > 0; all++) {
    good += (size_t)holds(algorithm, key, line, (size_t)length - 1);
  }
  if (good != all) fail("a token");
  printf("%zu\n", good);
  free(line);
  fclose(file);
  EVP_PKEY_free(key);
}

int main(int argc, char **argv) {
  prepare_values();
  if (argc == 6 && is(argv[1], "make")) {
    make(argv[2], count_from(argv[3], 1000000), count_from(argv[4], 4000), argv[5]);
  } else if (argc == 4 && is(argv[1], "check")) {
    check(argv[2], argv[3]);
  } else {
    return 2;
  }
  return 0;
}
