// idle_libraries - what libcurl and libcrypto cost once they are initialised, as KiB of this process:
// the floor for the daemon's memory.
#include "measure.h"

#include <curl/curl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

enum { secure_heap_bytes = 4 << 20, smallest_block = 32 };

static void initialise(void) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  errno = 0;
  if (CRYPTO_secure_malloc_init(secure_heap_bytes, smallest_block) == 0) fail("CRYPTO_secure_malloc_init");
  if (EVP_Digest("", 0, digest, &length, EVP_sha256(), NULL) != 1) fail("EVP_Digest");
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || !curl_easy_init()) fail("curl_easy_init");
}

int main(void) {
  char line[256];
  unsigned long pss = 0, dirty = 0, part;
  initialise();
  FILE *file = fopen("/proc/self/smaps_rollup", "r");
  if (!file) fail("/proc/self/smaps_rollup");
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "Pss: %lu kB", &part) == 1) pss = part;
    if (sscanf(line, "Private_Dirty: %lu kB", &part) == 1) dirty = part;
  }
  fclose(file);
  errno = 0;
  if (pss == 0 || dirty == 0) fail("/proc/self/smaps_rollup");
  printf("{\"pss_kib\":%lu,\"private_dirty_kib\":%lu}\n", pss, dirty);
  return 0;
}
