// The program's arguments, for Swift's `CommandLine`. In a static program, the Swift runtime would find them by reading
// /proc/self/maps before main runs, which takes half of its start. The C library passes them to constructors. Two
// functions replace the runtime's of the same names, which are then not linked.

#include "CPlatform.h"

#include <stddef.h>

static char **arguments;
static int argument_count;

__attribute__((constructor)) static void remember(int count, char **values) {
  argument_count = count;
  arguments = values;
}

const char *agent_argument(int index) { return index >= 0 && index < argument_count ? arguments[index] : NULL; }

char **_swift_stdlib_getUnsafeArgvArgc(int *count);
char **_swift_stdlib_getUnsafeArgvArgc(int *count) {
  *count = argument_count;
  return arguments;
}

void _swift_stdlib_overrideUnsafeArgvArgc(char **values, int count);
void _swift_stdlib_overrideUnsafeArgvArgc(char **values, int count) {
  argument_count = count;
  arguments = values;
}
