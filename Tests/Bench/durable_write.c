// durable_write DIRECTORY COUNT - how long it takes to replace a small file so that it survives a crash:
// temporary file, fsync, rename, fsync of the directory. A rotated refresh token costs at least this.
#include "measure.h"

#include <fcntl.h>

static void replace(int directory, const char *bytes, size_t count) {
  int fd = openat(directory, "durable.new", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0 || write(fd, bytes, count) != (ssize_t)count || fsync(fd) != 0 || close(fd) != 0 ||
      renameat(directory, "durable.new", directory, "durable") != 0 || fsync(directory) != 0) {
    fail("replace");
  }
}

int main(int argc, char **argv) {
  char bytes[2048] = {0};
  if (argc != 3) return 2;
  size_t count = count_from(argv[2], 100000);
  double *samples = calloc(count, sizeof *samples);
  int directory = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (!samples || directory < 0) fail(argv[1]);
  for (size_t i = 0; i < count; i++) {
    double start = now_us();
    replace(directory, bytes, sizeof bytes);
    samples[i] = now_us() - start;
  }
  unlinkat(directory, "durable", 0);
  print_statistics(samples, count);
  return 0;
}
