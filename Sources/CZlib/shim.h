// The part of zlib used by the HTTP module.
#ifndef AGENT_CZLIB_SHIM_H
#define AGENT_CZLIB_SHIM_H

#include <zlib.h>

#endif
