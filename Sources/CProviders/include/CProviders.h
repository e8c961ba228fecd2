// The built-in providers, as data in the programs. Like CPlatform.h, this header must not include system headers.

#ifndef AGENT_CPROVIDERS_H
#define AGENT_CPROVIDERS_H

#pragma clang assume_nonnull begin

// The JSON text of share/providers.json, without a null byte at its end.
const unsigned char *agent_providers(void);

// In bytes.
unsigned long agent_providers_size(void);

#pragma clang assume_nonnull end

#endif
