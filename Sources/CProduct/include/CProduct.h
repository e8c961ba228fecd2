// The commit that was built. It is a target of its own, so that a new commit compiles one file.
//
// This header includes nothing, as that of CPlatform, and for the same reason.

#ifndef AGENT_CPRODUCT_H
#define AGENT_CPRODUCT_H

#pragma clang assume_nonnull begin

// The hash, with `-dirty` behind it where files had been changed since; empty if it is not known.
const char *agent_commit(void);

#pragma clang assume_nonnull end

#endif
