#include "CProduct.h"

// Package.swift defines AGENT_COMMIT without quotes.
#define TEXT(words) #words
#define TEXT_OF(words) TEXT(words)

const char *agent_commit(void) { return TEXT_OF(AGENT_COMMIT); }
