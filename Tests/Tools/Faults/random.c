// Replaces libcrypto's generator if loaded with LD_PRELOAD. RANDOM_BYTE is the value of each byte; without it, the
// generator fails.
#include <stdlib.h>
#include <string.h>

static int byte = -1;

// The daemon clears its environment.
__attribute__((constructor)) static void begin(void) {
  const char *value = getenv("RANDOM_BYTE");
  if (value) byte = atoi(value);
}

static int fill(unsigned char *bytes, int count) {
  if (byte < 0) return 0;
  memset(bytes, byte, (size_t)count);
  return 1;
}

int RAND_bytes(unsigned char *bytes, int count) { return fill(bytes, count); }
int RAND_priv_bytes(unsigned char *bytes, int count) { return fill(bytes, count); }
