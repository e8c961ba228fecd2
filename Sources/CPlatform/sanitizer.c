// Disables the leak check of the address sanitizer: Swift stores flags in spare bits of pointers in enumerations, and
// memory referenced by such a pointer would be reported as leaked.

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
const char *__asan_default_options(void);

const char *__asan_default_options(void) { return "detect_leaks=0"; }
#endif
#endif

typedef int nothing_here_without_a_sanitizer;
