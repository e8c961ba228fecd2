#include <errno.h>

// The result of a call that returns -1 and sets errno if it fails: negated errno instead of -1.
static inline int or_errno(int result) { return result >= 0 ? result : -errno; }
