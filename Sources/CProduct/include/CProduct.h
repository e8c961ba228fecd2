// The commit that was built. A separate target, so that a new commit recompiles one file. Like CPlatform.h, this header
// must not include system headers.

#ifndef AGENT_CPRODUCT_H
#define AGENT_CPRODUCT_H

#pragma clang assume_nonnull begin

// The hash, with the suffix `-dirty` if files were modified; empty if unknown.
const char *agent_commit(void);

#pragma clang assume_nonnull end

#endif
