// At its start the Swift runtime looks in eleven places for a program to run if this one crashes. Nothing is found
// here: such a program prints memory, which holds secrets, and the search is a tenth of what a cached token costs.
// The release programs are linked with `--wrap`, so that the runtime's call comes here.

char *__wrap_swift_copyAuxiliaryExecutablePath(const char *name);

char *__wrap_swift_copyAuxiliaryExecutablePath(const char *name) {
  (void)name;
  return 0;
}
