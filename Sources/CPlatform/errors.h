#include <errno.h>

// Replaces the -1 of a failed call by negated errno.
static inline int or_errno(int result) { return result >= 0 ? result : -errno; }
