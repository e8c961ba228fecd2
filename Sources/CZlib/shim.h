// The part of zlib that the HTTP module uses.
#ifndef AGENT_CZLIB_SHIM_H
#define AGENT_CZLIB_SHIM_H

#include <zlib.h>

#endif
