// Empty: a program that links this module gets its `free` and `realloc`.
