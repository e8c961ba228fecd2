// The part of libqrencode that the QRCode module uses.
#ifndef AGENT_CQRENCODE_SHIM_H
#define AGENT_CQRENCODE_SHIM_H

#include <qrencode.h>

#endif
