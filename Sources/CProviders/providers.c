#include "CProviders.h"

// `#embed` is of C23, and clang has it in all versions of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char providers[] = {
#embed "../../share/providers.json"
};

const unsigned char *agent_providers(void) { return providers; }
unsigned long agent_providers_size(void) { return sizeof providers; }
